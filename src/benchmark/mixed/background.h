// The background: repairs of lost chunks, at a limited rate.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "benchmark/mixed/clock.h"
#include "benchmark/mixed/token_bucket.h"

namespace ecbench {

/// The repairs of one thread.
struct BackgroundLog {
  std::uint64_t repairs = 0;
  std::uint64_t repairs_in_window = 0;  ///< repairs that ended in the window in which throughput is counted
  double cpu_seconds = 0;
};

struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Calls repair(0), repair(1) … from window.begin_ns on, whenever `bucket` releases `bytes_per_repair`, until `stop` is set. The
/// repairs continue after the window, because the last operations of the foreground must run under the same load.
void run_background(const Window& window, const std::atomic<bool>& stop, MixedClock& clock, TokenBucket& bucket,
                    double bytes_per_repair, const std::function<void(std::uint64_t)>& repair, BackgroundLog& log);

}  // namespace ecbench
