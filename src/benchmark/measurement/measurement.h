// What measuring a point gave.

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
  Point point;  ///< its profile is the one that was measured, completed by defaults
  int data_chunk_count = 0;
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size_bytes = 0;                   ///< of one stripe
  std::string kernel;                                 ///< what the code really ran
  std::uint64_t patterns = 0;                         ///< erasure patterns that one round visits; 0 for encode
  std::uint64_t unrecoverable = 0;                    ///< patterns that were left out because the code cannot recover them
  std::vector<ReadSet> reads;                         ///< of repair: what it read for each lost chunk in turn
  std::uint64_t operations_per_iteration = 1;         ///< calls on a whole object
  std::uint64_t sample_iterations = 0;                ///< iterations of one sample, by each thread
  std::vector<Sample> samples;                        ///< in the order in which they were taken
  ProbeSpeed reference;                               ///< the best speed of probes in earlier runs on this machine; 0: unknown
  ProbeSpeed undisturbed;                             ///< the speed of undisturbed probes of this run; 0: too few probes
  std::vector<double> limit_seconds;                  ///< of one object by the limit, measured between the samples; may be empty
  std::size_t pool_bytes = 0;                         ///< over which a cold measurement goes round; 0 for warm
  std::optional<double> call_overhead_ns = {};        ///< of call_overhead.h, if it was measured
  std::optional<InstructionCount> instructions = {};  ///< if they were counted
};

/// The figures of a measurement, from its clean samples if they are enough, else from all. Rates are of all threads together, in
/// 10^9 bytes of object a second; padding is not counted.
struct Summary {
  std::uint64_t iterations = 0;  ///< timed, by all threads
  double seconds = 0;            ///< of wall clock that they took
  double cpu_seconds = 0;
  double gb_per_s = 0;          ///< at the median over placements of each one's median sample
  double rebuilt_gb_per_s = 0;  ///< of repair: 10^9 bytes of the lost chunk a second
  double minimum_ns_per_op = 0;
  double ns_per_op = 0;  ///< wall clock of one call on an object, by one thread
  double objects_per_s = 0;
  double cpu_seconds_per_gb = 0;
  double ci_low = 0;  ///< of gb_per_s, at 95 %, widened by the drift floor; equal to it where there is one sample
  double ci_high = 0;
  double ci_confidence = 0;  ///< that the order statistics give before they are widened; 0 where there is one sample
  double mad_percent = 0;    ///< median absolute deviation of the samples
  std::size_t outliers = 0;
  double placement_spread = 0;  ///< fastest placement / slowest - 1
  double drift = 0;             ///< speed of the last third of the samples / the first's - 1
  double limit_gb_per_s = 0;    ///< 0 where it was not measured
  double percent_of_limit = 0;
  std::vector<double> thread_gb_per_s;

  /// Half the interval in percent of the figure: the number behind the plus or minus.
  double ci_percent() const { return gb_per_s == 0 ? 0 : (ci_high - ci_low) / 2 / gb_per_s * 100; }
};

Summary summarize(const Measurement& measurement);

/// Ceph's count: whole KiB of the object for each iteration, however many patterns an iteration visits.
std::uint64_t kb(const Point& point, std::uint64_t iterations);

}  // namespace ecbench
