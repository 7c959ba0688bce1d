#include "benchmark/mixed/mixed.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "benchmark/mixed/jobs.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::int64_t lead_ns = 10'000'000;  // time between the start of the threads and the beginning of the window
constexpr double longest_drain = 0.1;         // operations can start after the window for at most this share of its length
constexpr std::size_t fewest_objects = 2;     // for each kind of operation in each thread
constexpr std::size_t fewest_pool_bytes = std::size_t{64} << 20;
constexpr double bookkeeping_bytes = 4096;  // for each object, in addition to its chunks

std::size_t object_count(double share, std::size_t pool_bytes, int threads, std::size_t object_bytes) {
  const double count = share * static_cast<double>(pool_bytes) / threads / static_cast<double>(object_bytes);
  return std::max(fewest_objects, static_cast<std::size_t>(std::ceil(count)));
}

/// Objects of each kind for one thread, and the memory of all threads.
class Pool {
 public:
  Pool(const JobMaterial& material, const MixedSettings& settings) {
    double bytes = 0;
    for (std::size_t kind = 0; kind < settings.shares.size(); kind++) {
      if (settings.shares[kind] == 0) continue;
      bytes += settings.shares[kind] / 100.0 * static_cast<double>(material.object_bytes(static_cast<ForegroundKind>(kind)));
    }
    // In proportion to the shares, so that nearly all other objects are used before one is used again.
    for (std::size_t kind = 0; kind < settings.shares.size(); kind++) {
      if (settings.shares[kind] == 0) continue;
      const std::size_t object = material.object_bytes(static_cast<ForegroundKind>(kind));
      counts_[kind] = object_count(settings.shares[kind] / 100.0, settings.pool_bytes, settings.foreground_threads,
                                   static_cast<std::size_t>(bytes));
      bytes_ +=
          settings.foreground_threads * static_cast<double>(counts_[kind]) * (static_cast<double>(object) + bookkeeping_bytes);
    }
    if (!settings.repairs()) return;
    const std::size_t object = material.background_object_bytes();
    repairs_ = object_count(1, settings.pool_bytes, settings.repair_threads, object);
    bytes_ += settings.repair_threads * static_cast<double>(repairs_) * (static_cast<double>(object) + bookkeeping_bytes);
  }

  std::size_t count(std::size_t kind) const { return counts_[kind]; }
  std::size_t repairs() const { return repairs_; }
  double bytes() const { return bytes_; }

 private:
  std::array<std::size_t, foreground_kind_count> counts_{};
  std::size_t repairs_ = 0;
  double bytes_ = 0;
};

/// In random order, with the share of each kind.
class ForegroundWork {
 public:
  ForegroundWork(const JobMaterial& material, const Pool& pool, const MixedSettings& settings, int thread)
      : order_(order_of_kinds(settings.shares, settings.seed + static_cast<std::uint64_t>(thread))) {
    for (std::size_t kind = 0; kind < foreground_kind_count; kind++) {
      if (pool.count(kind) == 0) continue;
      rounds_[kind].emplace(material.make_job(static_cast<ForegroundKind>(kind), pool.count(kind)));
    }
  }

  ForegroundKind kind(std::uint64_t number) const { return order_[number % order_.size()]; }
  void run(std::uint64_t number) { rounds_[static_cast<std::size_t>(kind(number))]->run(); }
  void for_each(void (JobRound::*what)()) {
    for (std::optional<JobRound>& round : rounds_) {
      if (round) ((*round).*what)();
    }
  }

 private:
  std::vector<ForegroundKind> order_;
  std::array<std::optional<JobRound>, foreground_kind_count> rounds_;
};

std::vector<int> cpus_of_threads(const MixedSettings& settings) {
  std::vector<int> cpus;
  const auto add = [&](int threads, const std::vector<int>& from) {
    for (int i = 0; i < threads; i++) cpus.push_back(from[static_cast<std::size_t>(i) % from.size()]);
  };
  add(settings.foreground_threads, settings.foreground_cpus);
  add(settings.repairs() ? settings.repair_threads : 0, settings.repair_cpus);
  return cpus;
}

std::uint64_t most_operations(const MixedSettings& settings) {
  if (!settings.foreground_rate) {
    // Divided among the threads of a CPU, because a log always takes its full memory.
    constexpr std::uint64_t most_of_closed_loop = most_foreground_operations / 4;  // for each CPU
    const auto threads = static_cast<std::uint64_t>(settings.foreground_threads);
    const std::uint64_t cpus = std::min<std::uint64_t>(threads, settings.foreground_cpus.size());
    return most_of_closed_loop * cpus / threads;
  }
  const double operations = *settings.foreground_rate * settings.seconds / settings.foreground_threads;
  if (operations > static_cast<double>(most_foreground_operations)) {
    throw Error("--foreground-rate is too high for this --duration: each foreground thread would run more than " +
                std::to_string(most_foreground_operations) + " operations; give a lower rate or a shorter duration");
  }
  return static_cast<std::uint64_t>(operations) + 2;
}

class MixedRun {
 public:
  MixedRun(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings)
      : settings_(settings),
        material_(object, stripe_unit, settings.shares, settings.running_background()),
        pool_(material_, settings),
        most_operations_(most_operations(settings)),
        foreground_(static_cast<std::size_t>(settings.foreground_threads)),
        repairs_(static_cast<std::size_t>(settings.repairs() ? settings.repair_threads : 0)),
        background_logs_(repairs_.size()) {
    for (std::size_t thread = 0; thread < foreground_.size(); thread++) logs_.emplace_back(most_operations_);
  }

  MixedResult measure() {
    const std::vector<int> cpus = cpus_of_threads(settings_);
    Team team(static_cast<int>(cpus.size()), cpus, threads_given());
    // In the memory of the thread's NUMA node.
    team.run([&](int thread) { prepare(thread); });
    MonotonicClock clock;
    Window window{.begin_ns = clock.now_ns() + lead_ns};
    window.end_ns = window.begin_ns + std::llround(settings_.seconds * ns_per_s);
    TokenBucket bucket(settings_.repair_rate, static_cast<double>(material_.background_bytes()), window.begin_ns);
    running_ = settings_.foreground_threads;
    team.run([&](int thread) { run(thread, window, clock, bucket); });
    team.run([&](int thread) { check(thread); });
    return result(window);
  }

 private:
  std::string threads_given() const {
    const std::string foreground = "--foreground-threads " + std::to_string(settings_.foreground_threads);
    return settings_.repairs() ? foreground + " with --repair-threads " + std::to_string(settings_.repair_threads) : foreground;
  }
  bool is_foreground(int thread) const { return thread < settings_.foreground_threads; }
  std::size_t repair_index(int thread) const { return static_cast<std::size_t>(thread - settings_.foreground_threads); }

  void prepare(int thread) {
    if (is_foreground(thread)) {
      auto& work = foreground_[static_cast<std::size_t>(thread)];
      work.emplace(material_, pool_, settings_, thread);
      work->for_each(&JobRound::prove_all);
    } else {
      auto& round = repairs_[repair_index(thread)];
      round.emplace(material_.make_background_job(pool_.repairs()));
      round->prove_all();
    }
    wake_up_exactly();
  }

  Schedule schedule_of(int thread, const Window& window) const {
    Schedule schedule{.begin_ns = window.begin_ns, .end_ns = window.end_ns};
    schedule.last_start_ns = window.end_ns + std::llround(settings_.seconds * ns_per_s * longest_drain);
    if (!settings_.foreground_rate) return schedule;
    const double interval = ns_per_s / *settings_.foreground_rate;
    schedule.interval_ns = interval * settings_.foreground_threads;
    schedule.first_due_ns = interval * thread;
    return schedule;
  }

  /// The repair threads stop when all foreground threads have ended, also by an exception.
  void run(int thread, const Window& window, MixedClock& clock, TokenBucket& bucket) {
    if (!is_foreground(thread)) {
      const std::size_t index = repair_index(thread);
      return run_background(
          window, stop_, clock, bucket, static_cast<double>(material_.background_bytes()),
          [&](std::uint64_t) { repairs_[index]->run(); }, background_logs_[index]);
    }
    struct AtEnd {
      MixedRun& run;
      ~AtEnd() {
        if (--run.running_ == 0) run.stop_ = true;
      }
    } at_end{*this};
    const auto index = static_cast<std::size_t>(thread);
    run_foreground(
        schedule_of(thread, window), clock, [&](std::uint64_t number) { foreground_[index]->run(number); }, logs_[index]);
  }

  void check(int thread) {
    if (is_foreground(thread)) {
      foreground_[static_cast<std::size_t>(thread)]->for_each(&JobRound::check_used);
    } else {
      repairs_[repair_index(thread)]->check_used();
    }
  }

  MixedResult result(const Window& window) const {
    MixedResult result;
    result.by_kind.resize(foreground_kind_count);
    for (std::size_t thread = 0; thread < logs_.size(); thread++) add(thread, window, result);
    if (result.foreground.operations_per_s == 0) {
      std::ostringstream seconds;
      seconds << settings_.seconds;
      throw Error(
          "--duration " + seconds.str() +
          " is too short: no foreground operation ended in this time, so nothing was measured; give a longer --duration or a "
          "smaller --size");
    }
    for (ForegroundResult* foreground : all_of(result)) std::ranges::sort(foreground->latency_ns);
    std::uint64_t repairs = 0;
    for (const BackgroundLog& log : background_logs_) {
      repairs += log.repairs_in_window;
      result.repair_cpu_seconds += log.cpu_seconds;
    }
    result.repaired_chunks = repairs * static_cast<std::uint64_t>(material_.background_chunks());
    result.repaired_bytes_per_s = static_cast<double>(repairs * material_.background_bytes()) / settings_.seconds;
    result.repair_reads = material_.background_reads();
    result.overwrites_by_delta = material_.overwrites_by_delta();
    result.memory_bytes = static_cast<std::size_t>(pool_.bytes());
    return result;
  }

  static std::vector<ForegroundResult*> all_of(MixedResult& result) {
    std::vector<ForegroundResult*> all{&result.foreground};
    for (ForegroundResult& kind : result.by_kind) all.push_back(&kind);
    return all;
  }

  void add(std::size_t thread, const Window& window, MixedResult& result) const {
    const ForegroundLog& log = logs_[thread];
    // A closed loop can end earlier, with a full log.
    const std::int64_t end = settings_.foreground_rate ? window.end_ns : std::min(window.end_ns, log.ended_ns);
    const double seconds = static_cast<double>(std::max<std::int64_t>(end - window.begin_ns, 1)) / ns_per_s;
    for (std::uint64_t number = 0; number < log.latency_ns.size(); number++) {
      const ForegroundKind kind = foreground_[thread]->kind(number);
      for (ForegroundResult* part : {&result.foreground, &result.by_kind[static_cast<std::size_t>(kind)]}) {
        part->operations++;
        part->latency_ns.push_back(log.latency_ns[number]);
        if (number >= log.finished) part->unfinished++;
        if (number >= log.finished_in_window) continue;
        part->operations_per_s += 1 / seconds;
        part->bytes_per_s += material_.operation_bytes(kind) / seconds;
      }
    }
    result.foreground_cpu_seconds += log.cpu_seconds;
    const std::optional<std::int64_t> stall = stall_of(log);
    if (!stall || *stall <= result.stall_ns.value_or(0)) return;
    result.stall_ns = stall;
    result.stalled_thread = static_cast<int>(thread);
  }

  MixedSettings settings_;
  JobMaterial material_;
  Pool pool_;
  std::uint64_t most_operations_;
  std::vector<std::optional<ForegroundWork>> foreground_;
  std::vector<std::optional<JobRound>> repairs_;
  std::vector<ForegroundLog> logs_;
  std::vector<BackgroundLog> background_logs_;
  std::atomic<int> running_ = 0;
  std::atomic<bool> stop_ = false;
};

}  // namespace

std::size_t default_pool_bytes() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max(fewest_pool_bytes, 2 * static_cast<std::size_t>(std::max(level3, 0L)));
}

double mixed_memory_bytes(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings) {
  const JobMaterial material(object, stripe_unit, settings.shares, settings.running_background());
  constexpr double bytes_per_operation = 4 * sizeof(std::int64_t);  // two values in the log, two values in the result
  const double logs = static_cast<double>(most_operations(settings)) * settings.foreground_threads * bytes_per_operation;
  return Pool(material, settings).bytes() + logs;
}

MixedResult measure_mixed(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings) {
  return MixedRun(object, stripe_unit, settings).measure();
}

}  // namespace ecbench
