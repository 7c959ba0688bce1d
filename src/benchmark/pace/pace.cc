#include "benchmark/pace/pace.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>

#include "benchmark/objects/overwrites.h"
#include "benchmark/sampling/samples.h"
#include "erasure_code/error.h"

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

namespace {

constexpr std::int64_t lead_ns = 10'000'000;      // in which the threads start
constexpr double enough_operations = 1000;        // for the highest percentile, p99
constexpr double most_operations = 1 << 22;       // of a thread; their latencies take 32 MiB
constexpr double least_operations_per_s = 0.001;  // so that all due times fit in 64 bits
constexpr int load_slices = 5;                    // their median is the greatest rate
constexpr double load_share = 0.1;                // of the shortest time of the measurement, for each slice
constexpr std::size_t whole_per_mille = 1000;
constexpr std::size_t values_above = 10;
constexpr double longest_sleep_ns = 20e6;  // between two checks of `stop`

/// Operations per second of a thread.
double closed_loop(const PaceClock& clock, double seconds, const std::function<void()>& operate) {
  const std::int64_t begin = clock.now_ns();
  std::int64_t now = begin;
  double count = 0;
  do {
    operate();
    count++;
    now = clock.now_ns();
  } while (static_cast<double>(now - begin) < seconds * ns_in_second);
  return count * ns_in_second / static_cast<double>(std::max<std::int64_t>(now - begin, 1));
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
  const double interval = ns_in_second / operations_per_s;
  return {.begin_ns = begin_ns,
          .count = static_cast<std::uint64_t>(std::clamp(each, 1.0, most_operations)),
          .interval_ns = interval * threads,
          .first_due_ns = interval * thread};
}

PacedLog::PacedLog(const Schedule& schedule) : latency_ns(schedule.count, 1) { latency_ns.clear(); }

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
  paced.seconds = static_cast<double>(end - schedules.front().begin_ns) / ns_in_second;
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

std::string text_of(const Pace& pace) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), pace.amount);
  return std::string(text.data(), end) + (pace.is_percent ? "%" : "");
}

std::string text_of(const Background& background) {
  return background.workload + (background.bytes_per_s ? "@" + std::to_string(*background.bytes_per_s) : "");
}

Point background_point(const Point& point) {
  const Background& settings = *point.background;
  Point background = point;
  background.workload = settings.workload;
  background.changed_chunks = workload_named(settings.workload).overwrites ? 1 : 0;
  background.erasures = workload_named(settings.workload).loses_chunks() ? 1 : 0;
  background.erased.clear();
  background.generation = ErasureGeneration::random;
  background.want = Want::all;
  background.cache = CacheState::cold;
  background.timing = Timing::kernel;
  background.threads = static_cast<int>(settings.cpus.size());
  background.cpus = settings.cpus;
  background.pace.reset();
  background.background.reset();
  return background;
}

void check_background(const Point& point, const ErasureCode& code, std::size_t chunk_size_bytes) {
  const Point background = background_point(point);
  try {
    if (workload_named(background.workload).loses_chunks()) lost_chunks(code, background);
    if (workload_named(background.workload).overwrites) check_overwrite(code, background, chunk_size_bytes);
  } catch (const Error& error) {
    throw Error("--background " + text_of(*point.background) + ": " + error.what(), error.kind());
  }
}

std::uint64_t run_background(const std::atomic<bool>& stop, const PaceClock& clock, double first_due_ns,
                             std::optional<double> interval_ns, const std::function<void(std::uint64_t)>& operate) {
  std::uint64_t number = 0;
  double due = first_due_ns;
  while (!stop) {
    const auto now = static_cast<double>(clock.now_ns());
    if (interval_ns && now < due) {
      clock.sleep_until_ns(static_cast<std::int64_t>(std::ceil(std::min(due, now + longest_sleep_ns))));
      continue;
    }
    operate(number++);
    due = std::max(due + interval_ns.value_or(0), static_cast<double>(clock.now_ns()));
  }
  return number;
}

BackgroundWork::BackgroundWork(const Point& point, const ErasureCode& code, std::span<const std::uint8_t> object)
    : point_(background_point(point)),
      settings_(*point.background),
      object_(std::make_unique<EncodedObject>(code, object, point.stripe_unit_bytes, repaired_chunks(code, point_),
                                              extras_of(workload_named(point_.workload), point_))),
      workload_(make_workload(point_, *object_)) {
  sched_getaffinity(0, sizeof(allowed_), &allowed_);
}

BackgroundWork::~BackgroundWork() { stop_ = true; }

void BackgroundWork::start() {
  ended_ = std::async(std::launch::async, [this] { run(); });
  std::future<void> ready = ready_.get_future();
  while (ready.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    if (ended_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) ended_.get();  // throws
  }
  operations_ = 0;
  begin_ns_ = clock_.now_ns();
}

double BackgroundWork::stop() {
  const auto operations = static_cast<double>(operations_.load());
  const auto seconds = static_cast<double>(std::max<std::int64_t>(clock_.now_ns() - begin_ns_, 1)) / ns_in_second;
  stop_ = true;
  ended_.get();
  return operations * bytes_per_operation() / seconds;
}

double BackgroundWork::bytes_per_operation() const {
  if (!workload_->repairs().empty()) return static_cast<double>(object_->chunks().chunk_size_bytes());
  const auto size = static_cast<double>(object_->object_size_bytes());
  return point_.changed_chunks == 0 ? size : size * point_.changed_chunks / object_->code().data_chunk_count();
}

void BackgroundWork::run() {
  sched_setaffinity(0, sizeof(allowed_), &allowed_);
  Team team(point_.threads, point_.cpus, "--background-cpu with " + std::to_string(point_.threads) + " CPUs");
  const PlacementPlan plan =
      plan_placements(point_, object_->footprint_bytes(), workload_named(point_.workload).objects_per_iteration);
  const Placements placements(*object_, point_.threads, 1, plan.objects_per_place);
  std::vector<std::uint64_t> done(static_cast<std::size_t>(point_.threads));
  const auto operate = [&](int thread, std::uint64_t number) {
    workload_->run(placements.objects(thread, 0), number, 1);
    operations_.fetch_add(1, std::memory_order_relaxed);
  };
  for (const auto& set : placements.sets()) workload_->poison_results(*set.front());
  std::optional<double> interval;
  if (settings_.bytes_per_s) interval = bytes_per_operation() * ns_in_second / static_cast<double>(*settings_.bytes_per_s);
  const auto begin = static_cast<double>(clock_.now_ns());
  std::atomic<int> waiting = point_.threads;
  team.run([&](int thread) {
    wake_up_exactly();
    operate(thread, 0);
    if (--waiting == 0) ready_.set_value();
    done[static_cast<std::size_t>(thread)] = 1 + run_background(stop_, clock_, begin + interval.value_or(0) * thread,
                                                                interval ? std::optional(*interval * point_.threads) : std::nullopt,
                                                                [&](std::uint64_t number) { operate(thread, number + 1); });
  });
  team.run([&](int thread) {
    for (const EncodedObject* object : placements.objects(thread, 0)) workload_->check_results(*object);
    if (workload_named(point_.workload).is_reference_loop) return;
    workload_->prove_first(*placements.objects(thread, 0).front(), done[static_cast<std::size_t>(thread)]);
  });
}

}  // namespace ecbench
