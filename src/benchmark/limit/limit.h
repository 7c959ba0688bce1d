// The memory limit: the time that this machine needs to read and XOR the chunks that an operation reads, and to write the chunks
// that the operation writes. Every code does at least this work. The measurement of the limit uses as many chunks as the operation,
// chunks of the same size, and the same cache state.

#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/limit/limit_kernel.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// There are several ways to read and write the bytes (see LimitWay). The limit is the time of the fastest way. The fastest way
/// depends on the machine, on the number and size of the chunks, and on the cache state:
/// - Zen 4, warm: for ten or more sources and objects of at least 128 KiB, wide steps are up to 15 % faster than narrow steps. For
///   eight sources and objects of 4 KiB, wide steps are up to 15 % slower.
/// - Milan: streaming is up to 60 % faster than normal stores if the targets are not in a cache. Streaming is up to 80 % slower if
///   the targets are in a cache. Prefetching makes the loop 10 to 30 % slower.
/// - Granite Rapids, cold: for objects of 4 MiB, prefetching makes the loop 15 % faster.
inline constexpr std::array all_limit_ways{LimitWay::narrow, LimitWay::wide, LimitWay::prefetched, LimitWay::streaming,
                                           LimitWay::streaming_prefetched};

constexpr bool is_streaming(LimitWay way) {
  return way == LimitWay::streaming || way == LimitWay::streaming_prefetched;
}

/// Makes one workload for each way that the alignment of the chunks allows. Each workload executes `transfers` in turn on copies of
/// `object`. One iteration executes `operations_per_iteration` transfers. Returns an empty list if `transfers` is empty, or if the
/// loop would have to process the chunks in pieces that are shorter than a cache line. With such short pieces, the measured time
/// would be only the time of the function calls.
std::vector<std::unique_ptr<Workload>> limit_workloads(const EncodedObject& object, std::span<const Transfer> transfers,
                                                       std::uint64_t operations_per_iteration);

/// Times each element of `runs` in short trials at several placements. Returns the index of the fastest element.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements);

}  // namespace ecbench
