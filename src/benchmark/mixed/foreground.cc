#include "benchmark/mixed/foreground.h"

#include <algorithm>
#include <cmath>

namespace ecbench {

std::uint64_t Schedule::count() const {
  if (!interval_ns) return 0;
  const double window = static_cast<double>(end_ns - begin_ns) - first_due_ns;
  if (window <= 0) return 0;
  auto count = static_cast<std::uint64_t>(std::ceil(window / *interval_ns));
  while (count > 0 && due_ns(count - 1) >= end_ns) count--;  // rounding
  return count;
}

std::int64_t Schedule::due_ns(std::uint64_t number) const {
  return begin_ns + static_cast<std::int64_t>(std::llround(first_due_ns + static_cast<double>(number) * *interval_ns));
}

ForegroundLog::ForegroundLog(std::uint64_t most_operations) {
  for (auto* values : {&latency_ns, &busy_ns}) {
    values->resize(most_operations, 1);
    values->clear();
  }
}

namespace {

void add(ForegroundLog& log, std::int64_t due, std::int64_t could_start, std::int64_t end, std::int64_t window_end) {
  log.latency_ns.push_back(end - due);
  log.busy_ns.push_back(end - could_start);
  log.longest_busy_ns = std::max(log.longest_busy_ns, end - could_start);
  log.finished++;
  if (end <= window_end) log.finished_in_window++;
}

void run_closed_loop(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                     ForegroundLog& log, WindowCpu& cpu) {
  const std::size_t most = log.latency_ns.capacity();
  std::int64_t now = clock.now_ns();
  for (std::uint64_t number = 0; number < most && now < schedule.end_ns; number++) {
    const std::int64_t due = now;
    operate(number);
    now = clock.now_ns();
    add(log, due, due, now, schedule.end_ns);
    cpu.add(due, now);
  }
  log.ended_ns = now;
}

void run_open_loop(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                   ForegroundLog& log, WindowCpu& cpu) {
  const std::uint64_t count = std::min<std::uint64_t>(schedule.count(), log.latency_ns.capacity());
  std::int64_t now = clock.now_ns();
  std::uint64_t number = 0;
  for (; number < count; number++) {
    const std::int64_t due = schedule.due_ns(number);
    const std::int64_t could_start = std::max(due, now);
    if (now < due) clock.sleep_until_ns(due);
    if (could_start >= schedule.last_start_ns) break;
    operate(number);
    now = clock.now_ns();
    add(log, due, could_start, now, schedule.end_ns);
    cpu.add(could_start, now);
  }
  for (; number < count; number++) log.latency_ns.push_back(now - schedule.due_ns(number));
  log.ended_ns = now;
}

}  // namespace

void run_foreground(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                    ForegroundLog& log) {
  clock.sleep_until_ns(schedule.begin_ns);
  WindowCpu cpu(schedule.end_ns);
  (schedule.interval_ns ? run_open_loop : run_closed_loop)(schedule, clock, operate, log, cpu);
  log.cpu_seconds = cpu.seconds();
}

std::optional<std::int64_t> stall_of(const ForegroundLog& log) {
  if (log.busy_ns.empty() || log.longest_busy_ns < shortest_stall_ns) return std::nullopt;
  std::vector<std::int64_t> sorted = log.busy_ns;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  if (log.longest_busy_ns < stall_factor * *middle) return std::nullopt;
  return log.longest_busy_ns;
}

}  // namespace ecbench
