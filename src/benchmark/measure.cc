#include "benchmark/measure.h"

#include <chrono>

namespace ecbench {

Measurement measure(const Point& point, const EncodedObject& object, Workload& workload) {
  using Clock = std::chrono::steady_clock;
  workload.poison_results();
  const Clock::time_point begin = Clock::now();
  workload.run(point.iterations);
  const Clock::time_point end = Clock::now();
  workload.check_results();
  return Measurement{
      .point = point,
      .data_chunk_count = object.code().data_chunk_count(),
      .chunk_count = object.code().chunk_count(),
      .chunk_size_bytes = object.chunk_size_bytes(),
      .patterns = workload.patterns(),
      .unrecoverable = workload.unrecoverable(),
      .operations = point.iterations * workload.operations_per_iteration(),
      .seconds = std::chrono::duration<double>(end - begin).count(),
  };
}

}  // namespace ecbench
