// Tests advance another clock themselves.

#pragma once

#include <algorithm>
#include <cstdint>

namespace ecbench {

inline constexpr std::int64_t ns_per_s = 1'000'000'000;

class MixedClock {
 public:
  virtual ~MixedClock() = default;
  /// Since an unspecified time; never decreases. Several threads may call this function.
  virtual std::int64_t now_ns() = 0;
  /// Not earlier; at once if the time has passed.
  virtual void sleep_until_ns(std::int64_t time_ns) = 0;
};

/// CLOCK_MONOTONIC
class MonotonicClock final : public MixedClock {
 public:
  std::int64_t now_ns() override;
  void sleep_until_ns(std::int64_t time_ns) override;
};

/// In seconds.
double thread_cpu_seconds_now();

/// Until the end of a window.
class WindowCpu {
 public:
  explicit WindowCpu(std::int64_t end_ns) : end_ns_(end_ns), begin_(thread_cpu_seconds_now()) {}

  /// After each operation (begin_ns to now_ns). The first one that ends after the window counts in proportion; later ones do not.
  void add(std::int64_t begin_ns, std::int64_t now_ns) {
    if (seconds_ >= 0 || now_ns <= end_ns_) return;
    const auto after = static_cast<double>(now_ns - std::max(end_ns_, begin_ns)) * 1e-9;
    seconds_ = std::max(0.0, thread_cpu_seconds_now() - begin_ - after);
  }

  double seconds() const { return seconds_ >= 0 ? seconds_ : thread_cpu_seconds_now() - begin_; }

 private:
  std::int64_t end_ns_;
  double begin_;
  double seconds_ = -1;  // -1: no operation has ended after the window
};

/// Sets the timer slack of this thread to 1 ns. By default, wake-ups are delayed by up to 50 µs to save energy.
void wake_up_exactly();

}  // namespace ecbench
