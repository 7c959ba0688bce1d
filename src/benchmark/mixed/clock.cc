#include "benchmark/mixed/clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace ecbench {
namespace {

std::int64_t ns_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * ns_per_s + time.tv_nsec;
}

}  // namespace

std::int64_t MonotonicClock::now_ns() {
  return ns_of(CLOCK_MONOTONIC);
}

void MonotonicClock::sleep_until_ns(std::int64_t time_ns) {
  const timespec time{.tv_sec = static_cast<time_t>(time_ns / ns_per_s), .tv_nsec = static_cast<long>(time_ns % ns_per_s)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

double thread_cpu_seconds_now() {
  return static_cast<double>(ns_of(CLOCK_THREAD_CPUTIME_ID)) * 1e-9;
}

void wake_up_exactly() {
  prctl(PR_SET_TIMERSLACK, 1);  // in nanoseconds; if the call fails, the latencies include the default delay
}

}  // namespace ecbench
