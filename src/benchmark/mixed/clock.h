// The clock of a mixed measurement. Tests replace it by one that they advance.

#pragma once

#include <cstdint>

namespace ecbench {

class MixedClock {
 public:
  virtual ~MixedClock() = default;
  /// Nanoseconds since any fixed time; they never decrease. Several threads may call it.
  virtual std::int64_t now_ns() = 0;
  /// Returns at `time_ns` or later, at once if that time has passed.
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

/// Lets the calling thread wake up without the delay of 50 µs that the kernel adds by default to save energy.
void wake_up_exactly();

}  // namespace ecbench
