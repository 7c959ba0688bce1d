// The memory limit: the time that this machine needs to read and XOR the chunks that an operation reads, and to write the chunks
// that the operation writes. Every code does at least this work. The limit is measured with the operation's numbers and sizes of
// chunks, in the operation's cache state.

#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/limit/limit_kernel.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// The limit is the time of the fastest of several ways to read and write the bytes (see LimitWay). Which way is fastest depends on
/// the machine, on the number and size of the chunks, and on the cache state. On Zen 4 (warm), wide steps are up to 15 % faster
/// than narrow steps with ten or more sources and at least 128 KiB; they are up to 15 % slower with eight sources and 4 KiB. On
/// Milan, streaming is up to 60 % faster than normal stores if the targets are not in a cache, and up to 80 % slower if the targets
/// are in a cache. Prefetching makes the loop 15 % faster on Granite Rapids (4 MiB, cold) and 10 to 30 % slower on Milan.
inline constexpr std::array all_limit_ways{LimitWay::narrow, LimitWay::wide, LimitWay::prefetched, LimitWay::streaming,
                                           LimitWay::streaming_prefetched};

constexpr bool is_streaming(LimitWay way) {
  return way == LimitWay::streaming || way == LimitWay::streaming_prefetched;
}

/// Makes one workload for each way that is possible with the alignment of the chunks. Each workload does `transfers` in turn on
/// copies of `object`; one iteration does `operations_per_iteration` transfers. Returns no workload if `transfers` is empty. Also
/// returns none if the loop must process chunks in pieces of less than a cache line, because the measured
/// time would then be only the time of the calls.
std::vector<std::unique_ptr<Workload>> limit_workloads(const EncodedObject& object, std::span<const Transfer> transfers,
                                                       std::uint64_t operations_per_iteration);

/// Runs short trials at several placements. Returns the index of the run with the fastest iterations.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements);

}  // namespace ecbench
