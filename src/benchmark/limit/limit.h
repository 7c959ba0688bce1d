// The roofline: the time to read and XOR the chunks that an operation reads and to write those that it writes, with the same number
// and size of chunks and the same cache state. Every code does at least this work.

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/limit/limit_kernel.h"
#include "benchmark/point/point.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// The limit is the time of the fastest LimitWay, which depends on the machine, the number and size of the chunks, and the caches.
/// Zen 4, warm: wide steps are up to 15 % faster for ten or more sources and objects of at least 128 KiB, and up to 15 % slower for
/// eight sources and 4 KiB. Milan: streaming is up to 60 % faster if the targets are not in a cache, up to 80 % slower if they are;
/// prefetching makes the loop 10 to 30 % slower. Granite Rapids, cold, 4 MiB: prefetching makes it 15 % faster.
inline constexpr std::array all_limit_ways{LimitWay::narrow, LimitWay::wide, LimitWay::prefetched, LimitWay::streaming,
                                           LimitWay::streaming_prefetched};

/// One workload for each way that the alignment of the chunks allows; it executes `transfers` in turn on copies of `object`,
/// `operations_per_iteration` in an iteration. Empty without transfers, or if pieces would be shorter than a cache line (the time
/// would be that of the function calls).
std::vector<std::unique_ptr<Workload>> limit_workloads(const EncodedObject& object, std::span<const Transfer> transfers,
                                                       std::uint64_t operations_per_iteration);

/// In short trials at several placements; in longer ones if the cache is cold. Returns the index of the fastest.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements, CacheState cache);

// All processes of a run share one file (--limit-file), so that each shape is measured once. It also has lines of
// store_shared_core().

struct StoredLimit {
  double seconds = 0;      ///< time of one operation
  double age_seconds = 0;  ///< time since it was measured
};

/// Everything on which the limit depends: bytes, buffers, threads and their CPUs.
std::string limit_key(const Point& point, const EncodedObject& object, const Workload& workload);

/// Ignores limits older than 30 s, because the machine drifts. Throws Error for a file of something else; key "": only this check.
std::optional<StoredLimit> read_limit(const std::string& file, const std::string& key);

/// If this fails, the next process measures the limit again.
void store_limit(const std::string& file, const std::string& key, double seconds);

}  // namespace ecbench
