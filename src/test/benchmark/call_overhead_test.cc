// call_overhead_ns() measures the time of empty_call(). If empty_call() takes long, call_overhead_ns() calls it less often.

#include "benchmark/measurement/call_overhead.h"

#include <gtest/gtest.h>

#include <chrono>

#include "erasure_code/benchmark_info.h"
#include "test/faulty_codes.h"

namespace ecbench {
namespace {

constexpr std::chrono::microseconds way_there_and_back(20);

/// A code whose empty call takes `way_there_and_back`.
class FarCode : public FaultyCode, public BenchmarkInfo {
 public:
  FarCode() : FaultyCode(Fault::none) {}
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

TEST(CallOverhead, IsMeasuredForEveryCode) {
  EXPECT_GT(call_overhead_ns(FaultyCode(Fault::none), {}), 0);
}

}  // namespace
}  // namespace ecbench
