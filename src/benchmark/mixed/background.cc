#include "benchmark/mixed/background.h"

#include <algorithm>
#include <optional>

namespace ecbench {
namespace {

constexpr std::int64_t longest_sleep_ns = 20'000'000;  // the longest time between two checks of `stop`

/// False if `stop` is set.
bool sleep_until(std::int64_t time_ns, const std::atomic<bool>& stop, MixedClock& clock) {
  for (std::int64_t now = clock.now_ns(); now < time_ns && !stop; now = clock.now_ns()) {
    clock.sleep_until_ns(std::min(time_ns, now + longest_sleep_ns));
  }
  return !stop;
}

}  // namespace

void run_background(const Window& window, const std::atomic<bool>& stop, MixedClock& clock, TokenBucket& bucket,
                    double bytes_per_repair, const std::function<void(std::uint64_t)>& repair, BackgroundLog& log) {
  WindowCpu cpu(window.end_ns);
  if (!sleep_until(window.begin_ns, stop, clock)) return;
  while (!stop) {
    const std::optional<std::int64_t> begin = bucket.take(bytes_per_repair, clock.now_ns());
    if (!begin || !sleep_until(*begin, stop, clock)) break;
    const std::int64_t started = clock.now_ns();
    repair(log.repairs++);
    const std::int64_t now = clock.now_ns();
    if (now <= window.end_ns) log.repairs_in_window++;
    cpu.add(started, now);
  }
  log.cpu_seconds = cpu.seconds();
}

}  // namespace ecbench
