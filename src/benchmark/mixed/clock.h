// The clock of a mixed measurement. Tests use another clock instead, which they advance themselves.

#pragma once

#include <cstdint>

namespace ecbench {

class MixedClock {
 public:
  virtual ~MixedClock() = default;
  /// The time in nanoseconds since a fixed but unspecified time. The result never decreases. Several threads may call this function
  /// at the same time.
  virtual std::int64_t now_ns() = 0;
  /// Sleeps until `time_ns`. The function may return later, but not earlier. If this time has passed, the function returns at once.
  virtual void sleep_until_ns(std::int64_t time_ns) = 0;
};

/// The clock CLOCK_MONOTONIC of the operating system.
class MonotonicClock final : public MixedClock {
 public:
  std::int64_t now_ns() override;
  void sleep_until_ns(std::int64_t time_ns) override;
};

/// The CPU time that the calling thread has used, in seconds.
double thread_cpu_seconds_now();

/// Reduces the timer slack of the calling thread to 1 ns. By default, the kernel delays each wake-up by up to 50 µs, to save
/// energy.
void wake_up_exactly();

}  // namespace ecbench
