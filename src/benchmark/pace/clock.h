// Tests invent another clock.

#pragma once

#include <cstdint>
#include <functional>

namespace ecbench {

struct PaceClock {
  /// Since an unspecified time.
  std::function<std::int64_t()> now_ns;
  /// Not earlier; at once if the time has passed.
  std::function<void(std::int64_t time_ns)> sleep_until_ns;
};

/// CLOCK_MONOTONIC
PaceClock monotonic_clock();

/// Sets the timer slack of this thread to 1 ns. By default, wake-ups are delayed by up to 50 µs to save energy.
void wake_up_exactly();

}  // namespace ecbench
