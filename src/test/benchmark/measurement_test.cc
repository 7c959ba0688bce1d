// Times and sizes that are measured in addition to the speed.

#include "benchmark/measurement/measurement.h"

#include <gtest/gtest.h>

#include <chrono>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/erasures/erasures.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/faulty_codes.h"

namespace ecbench {
namespace {

std::vector<std::size_t> sizes_near_powers_of_two() {
  std::vector<std::size_t> sizes{1};
  for (const int power : {31, 32, 40, 45, 46, 47, 48, 62, 63, 64}) {
    const std::size_t middle = power == 64 ? 0 : std::size_t{1} << power;
    for (const std::size_t distance : {1, 2, 63, 64, 4096, 1 << 20}) {
      sizes.push_back(middle - distance);
      if (power < 64) sizes.push_back(middle + distance);
    }
    if (power < 64) sizes.push_back(middle);
  }
  return sizes;
}

/// The codes of each technique with three values of k, if it allows them, and a code of lrc, which has no default k.
std::vector<std::unique_ptr<ErasureCode>> every_code() {
  std::vector<std::unique_ptr<ErasureCode>> codes;
  for (const std::string& plugin : test::registry().names()) {
    for (const Technique& technique : test::registry().load(plugin).techniques) {
      for (const char* k : {"", "2", "3"}) {
        Profile profile;
        if (!technique.name.empty()) profile.set("technique", technique.name);
        if (*k != '\0') profile.set("k", k);
        try {
          codes.push_back(test::make_code(plugin, profile));
        } catch (const Error& error) {
          // This k is not allowed, or a parameter has no default.
          EXPECT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
        }
      }
    }
  }
  codes.push_back(test::make_code("lrc", "k=4 m=2 l=3"));
  return codes;
}

/// By arithmetic that cannot overflow. A size may also be refused.
void check_size(const ErasureCode& code, std::size_t size, std::size_t stripe_unit) {
  std::size_t chunk_size = 0;
  try {
    chunk_size = stripe_chunk_size(code, size, stripe_unit);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
    return;
  }
  ASSERT_GT(chunk_size, 0u);
  const auto k = static_cast<unsigned __int128>(code.data_chunk_count());
  const auto n = static_cast<unsigned __int128>(code.chunk_count());
  const std::size_t stripes = stripe_count(code, size, chunk_size);
  EXPECT_TRUE(k * chunk_size * stripes >= size);
  EXPECT_TRUE(n * chunk_size * stripes <= most_memory_bytes);
  if (stripe_unit == 0) {
    EXPECT_EQ(stripes, 1u);
  }
  std::vector<LostChunk> lost{{0, reads_for(code, {0})}};
  const std::size_t footprint = footprint_bytes(code, size, stripe_unit, lost);
  EXPECT_TRUE(footprint >= n * chunk_size * stripes);
  for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
    const Point point{.workload = "encode", .cache = cache, .threads = 1024};
    EXPECT_GE(measure_bytes(point, footprint), 1024.0 * static_cast<double>(footprint));
  }
}

TEST(ObjectSize, NoSizeWraps) {
  const std::vector<std::size_t> sizes = sizes_near_powers_of_two();
  for (const auto& code : every_code()) {
    SCOPED_TRACE(info_of(*code).kernel() + " k=" + std::to_string(code->data_chunk_count()));
    const std::size_t unit = code->chunk_size(1);
    for (const std::size_t size : sizes) {
      check_size(*code, size, 0);
      check_size(*code, size, unit);
      check_size(*code, size, size);
      check_size(*code, 4096, size / unit * unit);
    }
  }
}

// The loops of the roofline get a quarter of the time. With more objects, theirs would be colder than those of the code.
TEST(ObjectSize, ColdRooflineHasAQuarterOfThePool) {
  const Point sampled{.workload = "encode", .cache = CacheState::cold};
  Point counted = sampled;
  counted.iterations = 1;  // has no roofline
  EXPECT_NEAR(measure_bytes(sampled, 5632) / measure_bytes(counted, 5632), 1.25, 0.001);
}

constexpr std::chrono::microseconds way_there_and_back(20);

class FarCode : public FaultyCode, public BenchmarkInfo {
 public:
  void empty_call() const override {
    calls_++;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < way_there_and_back) continue;
  }
  int calls() const { return calls_; }

 private:
  mutable int calls_ = 0;
};

TEST(CallOverhead, IsTheTimeOfAnEmptyCall) {
  const FarCode code;
  EXPECT_GE(call_overhead_ns(code, {}), 20e3);
  EXPECT_LT(code.calls(), 200) << "a batch should have few calls if one call takes long";
}

/// Making a plan advances an invented clock.
class SlowPlans : public FaultyCode {
 public:
  /// To make the plan for the loss of chunk i, the code takes seconds[i].
  explicit SlowPlans(std::vector<double> seconds) : seconds_(std::move(seconds)) {}

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

// Many plans are timed together, since reading the clock takes time too.
TEST(PlanTime, IsTheMeanOverTheRequestsAndTakesFewPlansIfTheyAreSlow) {
  for (const auto& [seconds, mean_ns, fewest, most] : std::vector<std::tuple<std::vector<double>, double, int, int>>{
           {{100e-9, 200e-9, 600e-9}, 300, 1001, 1 << 30}, {{1, 1, 1}, 1e9, 1, 1}, {{3e-3, 3e-3, 3e-3}, 3e6, 1, 11}}) {
    const SlowPlans code(seconds);
    EXPECT_NEAR(plan_ns(code, each_chunk, {}, code.clock()).value(), mean_ns, mean_ns * 1e-9);
    EXPECT_GE(code.plans(), fewest);
    EXPECT_LE(code.plans(), most);
  }
}

TEST(PlanTime, OfManyRequestsIsMeasuredWithSomeOfThem) {
  const SlowPlans code({100e-9, 200e-9, 600e-9});
  std::vector<PlanRequest> requests;
  for (int i = 0; i < 1000; i++) requests.insert(requests.end(), each_chunk.begin(), each_chunk.end());
  const double found = plan_ns(code, requests, {}, code.clock()).value();
  EXPECT_GE(found, 100);
  EXPECT_LE(found, 600);
  EXPECT_FALSE(plan_ns(code, {}, {}, code.clock()).has_value());
  const SlowPlans stopped({0, 0, 0});
  EXPECT_EQ(plan_ns(stopped, {{{0}, {0}}}, {}, stopped.clock()), 0) << "the clock does not advance";
}

}  // namespace
}  // namespace ecbench
