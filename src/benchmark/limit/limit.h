// The limit: what it costs on this machine to read the chunks that an operation reads, XOR them, and write the chunks that it
// writes. No code does less, so a code's speed is compared with it, for its own shape and in its own cache state.

#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/limit/limit_kernel.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// The limit is the fastest of all ways; which one that is depends on the machine, the shape and the cache state. Warm on Zen 4,
/// wide steps are up to 15 % faster than narrow ones from 128 KiB on with ten and more sources, and up to 15 % slower at 4 KiB with
/// eight. On Milan streaming gains up to 60 % where the targets are not in a cache and loses up to 80 % where they are; prefetching
/// gains 15 % on Granite Rapids, 4 MiB cold, and loses 10 to 30 % on Milan.
inline constexpr std::array all_limit_ways{LimitWay::narrow, LimitWay::wide, LimitWay::prefetched, LimitWay::streaming,
                                           LimitWay::streaming_prefetched};

constexpr bool is_streaming(LimitWay way) {
  return way == LimitWay::streaming || way == LimitWay::streaming_prefetched;
}

/// The limit for operations that move `transfers` in turn, so many of them in an iteration, on copies of `object`: a workload for
/// each way that can be used. Empty if a transfer moves less than a cache line of each chunk: then the limit would measure calls.
std::vector<std::unique_ptr<Workload>> limit_workloads(const EncodedObject& object, std::span<const Transfer> transfers,
                                                       std::uint64_t operations_per_iteration);

/// The index of the run whose iterations are the fastest, by short trials in every place in memory.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements);

}  // namespace ecbench
