#include <algorithm>
#include <cstdint>
#include <numeric>

#include "benchmark/limit/limit.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

constexpr double batch_seconds = 50e-6;
constexpr double total_seconds = 20e-3;
// Upper bounds, so that the loops end even if the clock does not advance.
constexpr std::uint64_t most_calls = 1 << 15;
constexpr std::size_t most_batches = 21;

/// Seconds of a call: the median over batches, together at most about `total_seconds`.
template <typename Call>
double seconds_of(const std::function<double()>& now, const Call& call) {
  const double begin = now();
  const auto batch = [&](std::uint64_t calls) {
    const double start = now();
    for (std::uint64_t i = 0; i < calls; i++) call();
    return (now() - start) / static_cast<double>(calls);
  };
  // These batches are not counted: caches are cold, and the runtime of another language registers the thread.
  std::uint64_t calls = 1;
  while (calls < most_calls && batch(calls) * static_cast<double>(calls) < batch_seconds) calls *= 2;
  std::vector<double> seconds;
  do seconds.push_back(batch(calls));
  while (seconds.size() < most_batches && now() - begin < total_seconds);
  return median(seconds);
}

/// What `call` returns in a thread that is pinned to the first of `cpus`, if any.
double run_pinned(const std::vector<int>& cpus, const std::function<double()>& call) {
  double result = 0;
  const auto work = [&](int) { result = call(); };
  Team(1, std::vector<int>(cpus.begin(), cpus.begin() + std::min<std::ptrdiff_t>(std::ssize(cpus), 1))).run(work);
  return result;
}

constexpr std::size_t checksum_block_bytes = 4096;  // BlueStore's default
constexpr double most_requests = 64;

/// At evenly spaced indices.
std::vector<PlanRequest> spread(const std::vector<PlanRequest>& requests, std::size_t count) {
  std::vector<PlanRequest> chosen;
  for (std::size_t i = 0; i < count; i++) chosen.push_back(requests[i * requests.size() / count]);
  return chosen;
}

/// Counts iterations by placement, so that the next sample there continues with the next erasure pattern and object.
class Bench {
 public:
  Bench(const Point& point, Team& team, const Workload& workload, const Placements& placements, Profilers* profilers)
      : point_(point),
        warm_(point.cache == CacheState::warm),
        team_(team),
        workload_(workload),
        placements_(placements),
        profilers_(profilers),
        done_(static_cast<std::size_t>(placements.count())) {}

  int placement_count() const { return placements_.count(); }

  void poison_results() const {
    for (const auto& set : placements_.sets()) workload_.poison_results(*set.front());
  }

  // The check can call the erasure code again, so it also runs in all threads at the same time. Placement 0 always has samples.
  void check_results() const {
    team_.run([&](int thread) {
      for (int placement = 0; placement < placements_.count(); placement++) {
        // Without a sample, the first object is still poisoned.
        if (done_[static_cast<std::size_t>(placement)] == 0) continue;
        for (const EncodedObject* object : placements_.objects(thread, placement)) workload_.check_results(*object);
      }
      if (workload_named(point_.workload).is_reference_loop) return;
      workload_.prove_first(*placements_.objects(thread, 0).front(), *std::ranges::max_element(done_));
    });
  }

  Sample run(int placement, std::uint64_t iterations) {
    std::uint64_t& first = done_[static_cast<std::size_t>(placement)];
    // Loads the chunks into the cache again.
    if (warm_) team_.run([&](int thread) { workload_.run(placements_.objects(thread, placement), first, 1); });
    Team::Times times = timed_run(placement, first, iterations);
    first += iterations;
    return {.placement = placement,
            .seconds = times.seconds,
            .cpu_seconds = times.cpu_seconds,
            .thread_seconds = std::move(times.thread_seconds),
            .cpu_share = point_.background ? 1 : times.cpu_share};  // the background may use the same CPUs
  }

  /// The latencies of a pace, which has one placement.
  Paced run_paced(const std::function<void()>& begin) {
    const Operation operate = [&](int thread, std::uint64_t number) { workload_.run(placements_.objects(thread, 0), number, 1); };
    team_.run([&](int thread) { operate(thread, 0); });
    Paced paced = measure_paced(point_, team_, monotonic_clock(), operate, begin);
    done_.front() = paced.finished;
    return paced;
  }

 private:
  Team::Times timed_run(int placement, std::uint64_t first, std::uint64_t iterations) {
    const auto loop = [&](int thread) { workload_.run(placements_.objects(thread, placement), first, iterations); };
    if (profilers_ == nullptr) return team_.run(loop);
    const auto profiled_loop = [&](int thread) {
      profilers_->begin_loop();
      loop(thread);
      profilers_->end_loop();
    };
    return profilers_->around([&] { return team_.run(profiled_loop); });
  }

  const Point& point_;
  bool warm_;
  Team& team_;
  const Workload& workload_;
  const Placements& placements_;
  Profilers* profilers_;
  std::vector<std::uint64_t> done_;
};

bool needs_limit(const Point& point) {
  return point.iterations == 0 && point.sampling.measures_limit && !point.pace && !point.background &&
         !workload_named(point.workload).is_reference_loop;
}

TimedRun timed_run(Bench& bench) {
  return [&bench](int placement, std::uint64_t iterations) { return bench.run(placement, iterations); };
}

/// The number of objects for the loops of the limit. If the cache is cold, an object must not be used again sooner or later than an
/// object of the work: some CPUs have a last-level cache that is larger than the pool.
std::size_t limit_objects(const Point& point, const PlacementPlan& plan) {
  if (point.cache != CacheState::cold) return plan.objects_per_place;
  const double share = std::min(1.0, limit_share_of(point.sampling, plan.count));
  return std::max<std::size_t>(2, static_cast<std::size_t>(static_cast<double>(plan.objects_per_place) * share));
}

/// The fastest of all ways; empty if there are none.
std::vector<TimedRun> fastest_limit(std::vector<Bench>& limits, CacheState cache) {
  if (limits.empty()) return {};
  std::vector<TimedRun> runs;
  for (Bench& limit : limits) runs.push_back(timed_run(limit));
  return {runs[fastest_of(runs, limits.front().placement_count(), cache)]};
}

/// Outside the timed loops, not profiled.
class Probes {
 public:
  Probes(const Point& point, Team& team) : team_(team) {
    // Under valgrind, times have no meaning. A background disturbs the probes, on purpose.
    if (runs_under_valgrind() || point.background) return;
    for (int thread = 0; thread < point.threads; thread++) probes_.emplace_back(point.cache == CacheState::cold);
  }

  /// The lowest speeds of all threads, which run one at a time.
  ProbeSpeed run() {
    if (probes_.empty()) return {};
    std::vector<ProbeSpeed> speeds(probes_.size());
    team_.run_in_turn([&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      speeds[index] = probes_[index].run();
    });
    return std::accumulate(speeds.begin(), speeds.end(), speeds.front(), slower);
  }

 private:
  Team& team_;
  std::vector<Probe> probes_;
};

void measure_latencies(Bench& bench, BackgroundWork* background, Measurement& measurement) {
  const auto threads = static_cast<std::size_t>(measurement.point.threads);
  const Paced& paced = measurement.paced.emplace(bench.run_paced([&] {
    if (background != nullptr) background->start();
  }));
  measurement.sample_iterations = std::max<std::uint64_t>(1, paced.finished / threads);
  measurement.samples = {
      {.seconds = paced.seconds, .cpu_seconds = paced.cpu_seconds, .thread_seconds = std::vector<double>(threads, paced.seconds)}};
}

ProbeSpeed middle_of(const std::vector<ProbeSpeed>& probes) {
  std::vector<double> throughput;
  std::vector<double> memory;
  for (const ProbeSpeed& probe : probes) {
    throughput.push_back(probe.throughput);
    memory.push_back(probe.memory);
  }
  return {median(throughput), median(memory)};
}

/// One sample, as Ceph's tool does, between two groups of probes.
void measure_interval(Bench& bench, Probes& probes, Measurement& measurement) {
  constexpr std::size_t probes_per_group = 8;
  std::vector<ProbeSpeed> before;
  std::vector<ProbeSpeed> after;
  for (std::size_t i = 0; i < probes_per_group; i++) before.push_back(probes.run());
  measurement.sample_iterations = measurement.point.iterations;
  Sample sample = bench.run(0, measurement.point.iterations);
  for (std::size_t i = 0; i < probes_per_group; i++) after.push_back(probes.run());
  sample.probe = slower(middle_of(before), middle_of(after));
  before.insert(before.end(), after.begin(), after.end());
  measurement.undisturbed = undisturbed_speed(before);
  sample.disturbance = disturbance_of(sample, faster(measurement.reference, measurement.undisturbed));
  measurement.samples = {std::move(sample)};
}

void measure_samples(Bench& bench, std::vector<Bench>& limits, Probes& probes, const SharedCore& before, Measurement& measurement) {
  const std::vector<TimedRun> limit = fastest_limit(limits, measurement.point.cache);
  Measurement sketch = measurement;
  const auto percent_of = [&](const Sampled& so_far) {
    sketch.sample_iterations = so_far.iterations;
    sketch.samples.assign(so_far.samples.begin(), so_far.samples.end());
    return summarize(sketch).ci_percent();
  };
  Sampled sampled = sample(
      measurement.point.sampling, bench.placement_count(), timed_run(bench), limit, percent_of, now_seconds,
      [&] { return probes.run(); }, measurement.reference, before);
  measurement.sample_iterations = sampled.iterations;
  measurement.samples = std::move(sampled.samples);
  measurement.undisturbed = sampled.undisturbed;
  measurement.shared_core = sampled.shared_core;
  if (limit.empty()) return;
  measurement.limit_seconds = std::move(sampled.limit_seconds.front());
  for (double& seconds : measurement.limit_seconds) seconds /= static_cast<double>(measurement.operations_per_iteration);
}

}  // namespace

double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus) {
  return 1e9 * run_pinned(cpus, [&] { return seconds_of(now_seconds, [&info = info_of(code)] { info.empty_call(); }); });
}

std::optional<double> crc32c_seconds_per_gb(const EncodedObject& object, const std::vector<int>& cpus) {
  const Crc32c crc32c = isal_crc32c();
  if (crc32c == nullptr) return {};
  const ChunkBuffers& chunks = object.chunks();
  const auto of_all_chunks = [&] {
    for (int position = 0; position < object.code().chunk_count(); position++) {
      for (std::span<const std::uint8_t> rest = chunks.bytes(position); !rest.empty();) {
        const std::size_t block = std::min(rest.size(), checksum_block_bytes);
        crc32c(rest.first(block));
        rest = rest.subspan(block);
      }
    }
  };
  const double seconds = run_pinned(cpus, [&] { return seconds_of(now_seconds, of_all_chunks); });
  return seconds / static_cast<double>(object.object_size_bytes()) * 1e9;
}

std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now) {
  if (requests.empty()) return {};
  const double seconds = run_pinned(cpus, [&] {
    const auto plan = [&code](const PlanRequest& request) { code.plan_uncached(request.erased, request.wanted); };
    const double begin = now();
    plan(requests.front());
    const double first = now() - begin;
    if (first >= total_seconds) return first;
    const double affordable = std::clamp(total_seconds / 4 / std::max(first, 1e-9), 1.0, most_requests);
    const std::vector<PlanRequest> chosen = spread(requests, std::min(static_cast<std::size_t>(affordable), requests.size()));
    return seconds_of(now, [&] { std::ranges::for_each(chosen, plan); }) / static_cast<double>(chosen.size());
  });
  return seconds * 1e9;
}

Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference,
                    BackgroundWork* background) {
  Team team(point.threads, point.cpus);
  Profilers profilers(point.threads);
  const PlacementPlan plan = plan_placements(point, object.footprint_bytes(), workload_named(point.workload).objects_per_iteration);
  const Placements placements(object, point.threads, plan.count, plan.objects_per_place);
  Bench bench(point, team, workload, placements, &profilers);
  // The limit's loops overwrite chunks, so they get copies (`scratch`).
  std::vector<std::unique_ptr<Workload>> limit_ways;
  const std::string& limit_file = point.sampling.limit_file;
  const SharedCore before = limit_file.empty() ? SharedCore() : read_shared_core(limit_file);
  // The limit of a shared core is another one.
  const std::string key =
      limit_file.empty() || !needs_limit(point) ? "" : limit_key(point, object, workload) + (before.is_state() ? "-shared" : "");
  const std::optional<StoredLimit> stored = limit_file.empty() ? std::nullopt : read_limit(limit_file, key);
  if (needs_limit(point) && !stored) {
    limit_ways = limit_workloads(object, workload.transfers(), workload.operations_per_iteration());
  }
  std::optional<Placements> scratch;
  if (!limit_ways.empty()) scratch.emplace(object, point.threads, plan.count, limit_objects(point, plan));
  std::vector<Bench> limits;
  for (const auto& way : limit_ways) limits.emplace_back(point, team, *way, *scratch, nullptr);

  Measurement measurement = unmeasured(point, object, workload, reference);
  measurement.pool_bytes = plan.pool_bytes;
  Probes probes(point, team);
  bench.poison_results();
  if (background != nullptr && !point.pace) background->start();
  if (point.pace) {
    measure_latencies(bench, background, measurement);
  } else if (point.iterations > 0) {
    measure_interval(bench, probes, measurement);
  } else {
    measure_samples(bench, limits, probes, before, measurement);
    const SharedCore& found = measurement.shared_core;
    if (!limit_file.empty() && (found.throughput > 0 || before.throughput > 0)) store_shared_core(limit_file, found);
  }
  if (background != nullptr) measurement.background_bytes_per_s = background->stop();
  if (stored) {
    measurement.limit_seconds = {stored->seconds};
    measurement.limit_age_seconds = stored->age_seconds;
  } else if (!key.empty() && !measurement.limit_seconds.empty() && enough_clean(measurement.samples) &&
             before.is_state() == measurement.shared_core.is_state()) {
    store_limit(limit_file, key, median(measurement.limit_seconds));
  }
  bench.check_results();
  return measurement;
}

double measure_bytes(const Point& point, std::size_t footprint_bytes) {
  const PlacementPlan plan = plan_placements(point, footprint_bytes, workload_named(point.workload).objects_per_iteration);
  const std::size_t of_limit = point.iterations == 0 ? limit_objects(point, plan) : 0;
  const double objects = static_cast<double>(plan.objects_per_place + of_limit) * plan.count * point.threads;
  constexpr double bookkeeping_bytes = 1024;  // per object, in addition to its chunks
  return objects * (static_cast<double>(footprint_bytes) + bookkeeping_bytes);
}

}  // namespace ecbench
