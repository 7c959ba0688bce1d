// The clock of a mixed measurement. Tests replace it by a clock that they advance themselves.

#pragma once

#include <cstdint>

namespace ecbench {

class MixedClock {
 public:
  virtual ~MixedClock() = default;
  /// The time in nanoseconds since an arbitrary fixed time. It never decreases. Several threads may call this function.
  virtual std::int64_t now_ns() = 0;
  /// Returns at `time_ns` or later. Returns at once if this time has passed.
  virtual void sleep_until_ns(std::int64_t time_ns) = 0;
};

/// CLOCK_MONOTONIC.
class MonotonicClock final : public MixedClock {
 public:
  std::int64_t now_ns() override;
  void sleep_until_ns(std::int64_t time_ns) override;
};

/// The CPU time of the calling thread.
double thread_cpu_seconds_now();

/// Reduces the timer slack of the calling thread to 1 ns. By default, the kernel delays each wake-up by up to 50 µs, to save
/// energy.
void wake_up_exactly();

}  // namespace ecbench
