// Tests plan_ns(), which measures the mean time to make a decode plan. Most tests use a simulated clock. If it takes long to make
// one plan, plan_ns() makes only a few plans, but at least one.

#include "benchmark/measurement/plan_time.h"

#include <gtest/gtest.h>

#include "test/faulty_codes.h"

namespace ecbench {
namespace {

/// A code with a simulated clock. Making a plan advances this clock by a given time.
class SlowPlans : public FaultyCode {
 public:
  /// To make the plan for the loss of chunk i, the code takes seconds[i].
  explicit SlowPlans(std::vector<double> seconds) : FaultyCode(Fault::none), seconds_(std::move(seconds)) {}

  std::function<double()> clock() const {
    return [this] { return now_; };
  }
  int plans() const { return plans_; }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    plans_++;
    now_ += seconds_.at(static_cast<std::size_t>(erased.front()));
    return FaultyCode::make_plan(erased, rebuilt);
  }

 private:
  std::vector<double> seconds_;
  mutable double now_ = 0;
  mutable int plans_ = 0;
};

const std::vector<PlanRequest> each_chunk{{{0}, {0}}, {{1}, {1}}, {{2}, {2}}};

TEST(PlanTime, IsTheMeanOverTheRequests) {
  const SlowPlans code({100e-9, 200e-9, 600e-9});
  EXPECT_NEAR(plan_ns(code, each_chunk, {}, code.clock()).value(), 300, 1e-3);
  EXPECT_GT(code.plans(), 1000) << "many plans are timed together, since reading the clock takes time too";
}

TEST(PlanTime, IsAbsentWithoutRequests) {
  const SlowPlans code({1, 1, 1});
  EXPECT_FALSE(plan_ns(code, {}, {}, code.clock()).has_value());
}

TEST(PlanTime, IsMeasuredWithFewPlansIfTheyAreSlow) {
  const SlowPlans second({1, 1, 1});
  EXPECT_NEAR(plan_ns(second, each_chunk, {}, second.clock()).value(), 1e9, 1);
  EXPECT_EQ(second.plans(), 1);
  const SlowPlans milliseconds({3e-3, 3e-3, 3e-3});
  EXPECT_NEAR(plan_ns(milliseconds, each_chunk, {}, milliseconds.clock()).value(), 3e6, 1);
  EXPECT_LT(milliseconds.plans(), 12);
}

TEST(PlanTime, OfManyRequestsIsMeasuredWithSomeOfThem) {
  const SlowPlans code({100e-9, 200e-9, 600e-9});
  std::vector<PlanRequest> requests;
  for (int i = 0; i < 1000; i++) requests.insert(requests.end(), each_chunk.begin(), each_chunk.end());
  const double found = plan_ns(code, requests, {}, code.clock()).value();
  EXPECT_GE(found, 100);
  EXPECT_LE(found, 600);
}

TEST(PlanTime, EndsIfTheClockDoesNotAdvance) {
  const SlowPlans code({0, 0, 0});
  EXPECT_EQ(plan_ns(code, {{{0}, {0}}}, {}, code.clock()), 0);
}

TEST(PlanTime, OfARealCodeIsPositive) {
  EXPECT_GT(plan_ns(FaultyCode(Fault::none), each_chunk, {}).value(), 0);
}

}  // namespace
}  // namespace ecbench
