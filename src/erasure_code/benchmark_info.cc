#include "erasure_code/benchmark_info.h"

namespace ecbench {

BenchmarkInfo::~BenchmarkInfo() = default;

void BenchmarkInfo::empty_call() const {}

const BenchmarkInfo& no_benchmark_info() {
  static const BenchmarkInfo none;
  return none;
}

}  // namespace ecbench
