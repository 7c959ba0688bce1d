// The background of a mixed measurement: threads that repair lost chunks at a limited rate.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "benchmark/mixed/clock.h"
#include "benchmark/mixed/token_bucket.h"

namespace ecbench {

struct BackgroundLog {
  std::uint64_t repairs = 0;
  std::uint64_t repairs_in_window = 0;  ///< repairs that ended in the window in which throughput is counted
  double cpu_seconds = 0;
};

struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Calls repair(0), repair(1), … from window.begin_ns until `stop` is set, also after window.end_ns: the last operations of the
/// foreground must run under the same load. Before each call, waits for `bytes_per_repair` tokens of `bucket`.
void run_background(const Window& window, const std::atomic<bool>& stop, MixedClock& clock, TokenBucket& bucket,
                    double bytes_per_repair, const std::function<void(std::uint64_t)>& repair, BackgroundLog& log);

}  // namespace ecbench
