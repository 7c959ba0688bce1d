#include "benchmark/pace/clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace ecbench {

constexpr std::int64_t ns_in_second = 1'000'000'000;

PaceClock monotonic_clock() {
  return {.now_ns =
              [] {
                timespec time{};
                clock_gettime(CLOCK_MONOTONIC, &time);
                return static_cast<std::int64_t>(time.tv_sec) * ns_in_second + time.tv_nsec;
              },
          .sleep_until_ns =
              [](std::int64_t time_ns) {
                const timespec time{.tv_sec = static_cast<time_t>(time_ns / ns_in_second),
                                    .tv_nsec = static_cast<long>(time_ns % ns_in_second)};
                while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
                }
              }};
}

void wake_up_exactly() {
  prctl(PR_SET_TIMERSLACK, 1);  // in nanoseconds; if the call fails, the latencies include the default delay
}

}  // namespace ecbench
