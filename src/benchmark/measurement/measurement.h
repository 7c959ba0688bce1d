// Measures the time of a workload. The result of measuring a point.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/erasures/erasures.h"
#include "benchmark/instructions/instructions.h"
#include "benchmark/pace/pace.h"
#include "benchmark/point/point.h"
#include "benchmark/sampling/samples.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

struct Measurement {
  Point point;  ///< its profile also contains the parameters that have default values
  int data_chunk_count = 0;
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size_bytes = 0;            ///< chunk size in one stripe
  std::string kernel;                          ///< the kernel that ran
  std::uint64_t patterns = 0;                  ///< number of erasure patterns that are used in turn; 0: no lost chunks
  std::uint64_t unrecoverable = 0;             ///< number of patterns that were left out because the code cannot recover them
  std::vector<LostChunk> repairs;              ///< repair: the lost chunks, in the order of the repairs
  std::uint64_t operations_per_iteration = 1;  ///< number of operations in one iteration; each is on a whole object
  std::uint64_t sample_iterations = 0;         ///< number of iterations that each thread runs in one sample
  std::vector<Sample> samples;                 ///< in the order of measurement
  ProbeSpeed reference;                        ///< the best speed of probes in earlier runs on this machine; 0: unknown
  ProbeSpeed undisturbed;                      ///< the speed of undisturbed probes of this run; 0: too few probes
  SharedCore shared_core;                      ///< Sampled::shared_core
  /// Seconds of one operation of the limit's loop, between the samples; empty if not measured.
  std::vector<double> limit_seconds;
  std::optional<double> limit_age_seconds = {};       ///< set if another process measured the limit: the time since then
  std::size_t pool_bytes = 0;                         ///< cold: size of the pool of each thread; 0 for warm
  std::optional<double> plan_ns = {};                 ///< see plan_ns(); absent if no plan is used or its time was not measured
  std::optional<double> call_overhead_ns = {};        ///< see call_overhead_ns(); absent if this time was not measured
  std::optional<double> crc32c_seconds_per_gb = {};   ///< see crc32c_seconds_per_gb(); absent if this time was not measured
  std::optional<Paced> paced = {};                    ///< absent without point.pace; `samples` is then one, of all operations
  std::optional<double> background_bytes_per_s = {};  ///< absent without point.background
  std::optional<InstructionCount> instructions = {};  ///< absent if instructions were not counted
};

/// Only clean samples count, if there are enough. GB/s: object bytes without padding (an overwrite: changed ones), of all threads.
struct Summary {
  std::uint64_t iterations = 0;  ///< timed iterations of all threads
  double seconds = 0;            ///< sum of the wall clock times of the samples
  double cpu_seconds = 0;
  double gb_per_s = 0;          ///< computed in two steps: the median time of each placement, then the median of these medians
  double rebuilt_gb_per_s = 0;  ///< repair: 10^9 rebuilt bytes per second; 0 for other workloads
  double minimum_ns_per_op = 0;
  double ns_per_op = 0;  ///< wall clock time of one operation in one thread
  double objects_per_s = 0;
  double cpu_seconds_per_gb = 0;
  /// 95 %, widened by the noise floor; equal to gb_per_s if there is only one sample.
  double ci_low = 0;
  double ci_high = 0;
  double ci_confidence = 0;  ///< actual confidence of the interval without the noise floor; 0 if there is only one sample
  double mad_percent = 0;    ///< median absolute deviation of the sample times, in percent of their median
  std::size_t outliers = 0;
  double placement_spread = 0;  ///< speed of the fastest placement / speed of the slowest placement - 1
  double drift = 0;             ///< speed of the last third of the samples / speed of the first third - 1
  double limit_gb_per_s = 0;    ///< roofline; 0 if it was not measured
  double percent_of_limit = 0;
  std::vector<double> thread_gb_per_s;

  /// Half the interval in percent of gb_per_s; the column `±%`.
  double ci_percent() const { return gb_per_s == 0 ? 0 : (ci_high - ci_low) / 2 / gb_per_s * 100; }
};

Summary summarize(const Measurement& measurement);

/// As Ceph's tool: KiB of the object, rounded down, times `iterations`; of an overwrite, only the changed bytes. An iteration
/// counts once, even with several erasure patterns.
std::uint64_t kb(const Measurement& measurement, std::uint64_t iterations);

/// The median over batches of BenchmarkInfo::empty_call(), one to two milliseconds together, in this thread, which is pinned to the
/// first of `cpus` (if any) and stays so. In C++, about the time of a virtual call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

/// In addition to the code, a write costs an OSD the CRC32C of all chunks, in blocks of 4 KiB as BlueStore stores them.
/// Seconds per 10^9 bytes of the object, in one thread as above; absent if ISA-L's CRC32C is missing.
std::optional<double> crc32c_seconds_per_gb(const EncodedObject& object, const std::vector<int>& cpus);

/// To make one plan with ErasureCode::plan_uncached() and free it: the median over batches of all `requests` (or some evenly spaced
/// ones), about 20 ms together, at least one plan; absent if `requests` is empty. This thread is pinned to the first of `cpus`, if
/// any, and stays so. `now`: seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now = now_seconds);

/// What is known before a sample is taken.
Measurement unmeasured(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference);

/// On copies of `object`: operations at point.pace, one sample of point.iterations, or samples at several placements, with the
/// roofline between them if the point needs it. Then checks the results. `background`: null without point.background. `reference`:
/// the best speed of earlier probes, or 0. Throws Error: wrong_bytes; bad_input if a CPU is not available.
Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference = {},
                    BackgroundWork* background = nullptr);

/// For the copies of an object with this footprint, at most.
double measure_bytes(const Point& point, std::size_t footprint_bytes);

/// Throws Error if an object of this size, its measurement and the background do not fit in memory.
void require_memory_for(const Point& point, const ErasureCode& code, std::size_t size_bytes);

}  // namespace ecbench
