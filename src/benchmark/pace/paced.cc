#include "benchmark/pace/paced.h"

#include <algorithm>
#include <cmath>

#include "benchmark/sampling/statistics.h"

namespace ecbench {
namespace {

constexpr double ns_of_second = 1e9;
constexpr std::int64_t lead_ns = 10'000'000;      // in which the threads start
constexpr double enough_operations = 1000;        // for the highest percentile, p99
constexpr double most_operations = 1 << 22;       // of a thread; their latencies take 32 MiB
constexpr double least_operations_per_s = 0.001;  // so that all due times fit in 64 bits
constexpr int load_slices = 5;                    // their median is the greatest rate
constexpr double load_share = 0.1;                // of the shortest time of the measurement, for each slice
constexpr std::size_t whole_per_mille = 1000;
constexpr std::size_t values_above = 10;

/// Operations per second of a thread.
double closed_loop(const PaceClock& clock, double seconds, const std::function<void()>& operate) {
  const std::int64_t begin = clock.now_ns();
  std::int64_t now = begin;
  double count = 0;
  do {
    operate();
    count++;
    now = clock.now_ns();
  } while (static_cast<double>(now - begin) < seconds * ns_of_second);
  return count * ns_of_second / static_cast<double>(std::max<std::int64_t>(now - begin, 1));
}

/// For all threads. The next operation of thread i is next[i].
double greatest_rate(const Point& point, Team& team, const PaceClock& clock, const Operation& operate,
                     std::vector<std::uint64_t>& next) {
  std::vector<double> rates;
  for (int slice = 0; slice < load_slices; slice++) {
    std::vector<double> of_threads(next.size());
    team.run([&](int thread) {
      std::uint64_t& number = next[static_cast<std::size_t>(thread)];
      of_threads[static_cast<std::size_t>(thread)] =
          closed_loop(clock, load_share * point.sampling.min_seconds, [&] { operate(thread, number++); });
    });
    double rate = 0;
    for (const double of_thread : of_threads) rate += of_thread;
    rates.push_back(rate);
  }
  return median(rates);
}

}  // namespace

std::int64_t Schedule::due_ns(std::uint64_t number) const {
  return begin_ns + std::llround(first_due_ns + static_cast<double>(number) * interval_ns);
}

Schedule schedule_of(const Sampling& sampling, double operations_per_s, int threads, int thread, std::int64_t begin_ns) {
  const double wanted = std::max(operations_per_s * sampling.min_seconds, enough_operations);
  const double each = std::ceil(std::min(wanted, operations_per_s * sampling.max_seconds) / threads);
  const double interval = ns_of_second / operations_per_s;
  return {.begin_ns = begin_ns,
          .count = static_cast<std::uint64_t>(std::clamp(each, 1.0, most_operations)),
          .interval_ns = interval * threads,
          .first_due_ns = interval * thread};
}

PacedLog::PacedLog(const Schedule& schedule) : latency_ns(schedule.count, 1) {
  latency_ns.clear();
}

void run_paced(const Schedule& schedule, const PaceClock& clock, const std::function<void(std::uint64_t)>& operate, PacedLog& log) {
  std::int64_t now = clock.now_ns();
  for (; log.finished < schedule.count; log.finished++) {
    const std::int64_t due = schedule.due_ns(log.finished);
    if (log.finished > 0 && std::max(due, now) >= schedule.last_start_ns()) break;
    if (now < due) clock.sleep_until_ns(due);
    operate(log.finished);
    now = clock.now_ns();
    log.latency_ns.push_back(now - due);
  }
  log.ended_ns = now;
  for (std::uint64_t number = log.finished; number < schedule.count; number++) {
    log.latency_ns.push_back(now - schedule.due_ns(number));
  }
}

std::optional<std::int64_t> Paced::percentile_ns(int per_mille) const {
  const auto wanted = static_cast<std::size_t>(per_mille);
  if (latency_ns.size() * (whole_per_mille - wanted) < values_above * whole_per_mille) return std::nullopt;
  return latency_ns[(latency_ns.size() * wanted + whole_per_mille - 1) / whole_per_mille - 1];
}

Paced paced_of(double operations_per_s, std::span<const Schedule> schedules, std::span<const PacedLog> logs) {
  Paced paced{.operations_per_s = operations_per_s};
  std::int64_t end = schedules.front().end_ns();
  for (const PacedLog& log : logs) {
    paced.latency_ns.insert(paced.latency_ns.end(), log.latency_ns.begin(), log.latency_ns.end());
    paced.finished += log.finished;
    end = std::max(end, log.ended_ns);
  }
  std::ranges::sort(paced.latency_ns);
  paced.seconds = static_cast<double>(end - schedules.front().begin_ns) / ns_of_second;
  return paced;
}

Paced measure_paced(const Point& point, Team& team, const PaceClock& clock, const Operation& operate,
                    const std::function<void()>& begin) {
  std::vector<std::uint64_t> next(static_cast<std::size_t>(point.threads));
  double rate = point.pace->amount;
  if (point.pace->is_percent) rate *= greatest_rate(point, team, clock, operate, next) / 100;
  rate = std::max(rate, least_operations_per_s);
  begin();
  std::vector<Schedule> schedules;
  std::vector<PacedLog> logs;
  const std::int64_t start = clock.now_ns() + lead_ns;
  for (int thread = 0; thread < point.threads; thread++) {
    schedules.push_back(schedule_of(point.sampling, rate, point.threads, thread, start));
    logs.emplace_back(schedules.back());
  }
  const Team::Times times = team.run([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    wake_up_exactly();
    run_paced(
        schedules[index], clock, [&](std::uint64_t number) { operate(thread, next[index] + number); }, logs[index]);
  });
  Paced paced = paced_of(rate, schedules, logs);
  paced.cpu_seconds = times.cpu_seconds;
  return paced;
}

}  // namespace ecbench
