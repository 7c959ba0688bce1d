// The background of a mixed measurement: threads that repair lost chunks at a limited rate.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "benchmark/mixed/clock.h"
#include "benchmark/mixed/token_bucket.h"

namespace ecbench {

/// The counts and the CPU time of one repair thread.
struct BackgroundLog {
  std::uint64_t repairs = 0;
  std::uint64_t repairs_in_window = 0;  ///< repairs that ended in the window in which throughput is counted
  double cpu_seconds = 0;
};

struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Calls repair(0), repair(1), … one after the other until `stop` is set. The first call is at window.begin_ns or later. Before
/// each call, takes `bytes_per_repair` tokens from `bucket` and waits until `bucket` releases them. The repairs continue after
/// window.end_ns until `stop` is set, because the last operations of the foreground must run under the same load as the operations
/// before them.
void run_background(const Window& window, const std::atomic<bool>& stop, MixedClock& clock, TokenBucket& bucket,
                    double bytes_per_repair, const std::function<void(std::uint64_t)>& repair, BackgroundLog& log);

}  // namespace ecbench
