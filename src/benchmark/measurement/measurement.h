// The result of measuring a point.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/instructions/instructions.h"
#include "benchmark/point/point.h"
#include "benchmark/sampling/sample.h"
#include "benchmark/sampling/statistics.h"

namespace ecbench {

struct Measurement {
  Point point;  ///< its profile includes the defaults
  int data_chunk_count = 0;
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size_bytes = 0;            ///< chunk size in one stripe
  std::string kernel;                          ///< the kernel that ran
  std::uint64_t patterns = 0;                  ///< number of erasure patterns that are used in turn; 0: no lost chunks
  std::uint64_t unrecoverable = 0;             ///< number of patterns that were left out because the code cannot recover them
  std::vector<ReadSet> reads;                  ///< repair: the bytes that were read for each lost chunk, in order
  std::uint64_t operations_per_iteration = 1;  ///< calls on a whole object in one iteration
  std::uint64_t sample_iterations = 0;         ///< iterations of one sample, by each thread
  std::vector<Sample> samples;                 ///< in the order of measurement
  ProbeSpeed reference;                        ///< the best speed of probes in earlier runs on this machine; 0: unknown
  ProbeSpeed undisturbed;                      ///< the speed of undisturbed probes of this run; 0: too few probes
  std::vector<double> limit_seconds;   ///< times of the limit for one object in seconds, measured between the samples; may be empty
  std::size_t pool_bytes = 0;          ///< cold: size of the pool of each thread; 0 for warm
  std::optional<double> plan_ns = {};  ///< see plan_time.h; absent if no plan is used, or if it was not measured
  std::optional<double> call_overhead_ns = {};        ///< see call_overhead.h; absent if it was not measured
  std::optional<InstructionCount> instructions = {};  ///< absent if they were not counted
};

/// The figures of a measurement. They come from the clean samples if there are enough of them, otherwise from all samples. Rates
/// are sums over all threads, in 10^9 bytes per second. They count the bytes of the object, without padding; for an overwrite, only
/// the changed bytes.
struct Summary {
  std::uint64_t iterations = 0;  ///< timed iterations of all threads
  double seconds = 0;            ///< wall clock time of these iterations
  double cpu_seconds = 0;
  double gb_per_s = 0;          ///< the median of the samples of each placement, then the median of these medians
  double rebuilt_gb_per_s = 0;  ///< repair: 10^9 bytes of the lost chunk per second
  double minimum_ns_per_op = 0;
  double ns_per_op = 0;  ///< wall clock time of one call on an object, in one thread
  double objects_per_s = 0;
  double cpu_seconds_per_gb = 0;
  /// The 95 % confidence interval of gb_per_s, widened by the noise floor; equal to gb_per_s if there is one sample.
  double ci_low = 0;
  double ci_high = 0;
  double ci_confidence = 0;  ///< confidence of the interval before it is widened, from order statistics; 0 if there is one sample
  double mad_percent = 0;    ///< median absolute deviation of the samples
  std::size_t outliers = 0;
  double placement_spread = 0;  ///< fastest placement / slowest - 1
  double drift = 0;             ///< speed of the last third of the samples / speed of the first third - 1
  double limit_gb_per_s = 0;    ///< 0 if it was not measured
  double percent_of_limit = 0;
  std::vector<double> thread_gb_per_s;

  /// Half the width of the interval in percent of the figure: the number that is printed after ±.
  double ci_percent() const { return gb_per_s == 0 ? 0 : (ci_high - ci_low) / 2 / gb_per_s * 100; }
};

Summary summarize(const Measurement& measurement);

/// The count that Ceph's tool prints: the object's size in KiB, rounded down, times the iterations. For an overwrite, only the
/// changed bytes count. The number of patterns in an iteration does not matter.
std::uint64_t kb(const Measurement& measurement, std::uint64_t iterations);

}  // namespace ecbench
