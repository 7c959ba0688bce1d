#include "benchmark/measurement/measure.h"

#include <chrono>
#include <numeric>
#include <optional>

#include "benchmark/limit/limit.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/clean_samples.h"
#include "benchmark/sampling/placements.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/sampling/team.h"

namespace ecbench {
namespace {

/// Runs one workload on its objects. Counts the iterations at each placement, so that the next sample at this placement continues
/// with the next erasure pattern and the next object of the pool.
class Bench {
 public:
  /// If `profilers` is null, the workload is not profiled.
  Bench(const Point& point, Team& team, const Workload& workload, const Placements& placements, Profilers* profilers)
      : warm_(point.cache == CacheState::warm),
        team_(team),
        workload_(workload),
        placements_(placements),
        profilers_(profilers),
        done_(static_cast<std::size_t>(placements.count())) {}

  int placement_count() const { return placements_.count(); }

  void poison_results() const {
    for (const auto& set : placements_.sets()) workload_.poison_results(*set.front());
  }

  // All threads run at the same time, and each thread checks its own objects. If a workload leaves no results in its objects, the
  // check calls the erasure code again. Therefore these calls also run in all threads at the same time.
  void check_results() const {
    team_.run([&](int thread) {
      for (int placement = 0; placement < placements_.count(); placement++) {
        // If there was no sample at this placement, its first object is still poisoned, and there are no results to check.
        if (done_[static_cast<std::size_t>(placement)] == 0) continue;
        for (const EncodedObject* object : placements_.objects(thread, placement)) workload_.check_results(*object);
      }
    });
  }

  Sample run(int placement, std::uint64_t iterations) {
    std::uint64_t& first = done_[static_cast<std::size_t>(placement)];
    // This untimed iteration loads the chunks into the cache again, because the runs before it have used other chunks.
    if (warm_) team_.run([&](int thread) { workload_.run(placements_.objects(thread, placement), first, 1); });
    Team::Times times = timed_run(placement, first, iterations);
    first += iterations;
    return {.placement = placement,
            .seconds = times.seconds,
            .cpu_seconds = times.cpu_seconds,
            .thread_seconds = std::move(times.thread_seconds),
            .cpu_share = times.cpu_share};
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

  bool warm_;
  Team& team_;
  const Workload& workload_;
  const Placements& placements_;
  Profilers* profilers_;
  std::vector<std::uint64_t> done_;
};

bool needs_limit(const Point& point) {
  return point.iterations == 0 && point.sampling.measures_limit && !workload_named(point.workload).is_reference_loop;
}

TimedRun timed_run(Bench& bench) {
  return [&bench](int placement, std::uint64_t iterations) { return bench.run(placement, iterations); };
}

/// Tries all ways in `limits` to measure the memory limit, and returns the fastest way. The result is empty if `limits` is empty.
std::vector<TimedRun> fastest_limit(std::vector<Bench>& limits) {
  if (limits.empty()) return {};
  std::vector<TimedRun> runs;
  for (Bench& limit : limits) runs.push_back(timed_run(limit));
  return {runs[fastest_of(runs, limits.front().placement_count())]};
}

/// The probes of all threads. They run outside the timed loops and are not profiled.
class Probes {
 public:
  Probes(const Point& point, Team& team) : team_(team) {
    // Under valgrind, measured times have no meaning, so no probes are made.
    if (runs_under_valgrind()) return;
    for (int thread = 0; thread < point.threads; thread++) probes_.emplace_back(point.cache == CacheState::cold);
  }

  /// Returns the lowest throughput and the lowest memory speed of all threads. The threads run one at a time, so that their probes
  /// do not disturb each other.
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

/// The median throughput and the median memory speed of `probes`.
ProbeSpeed middle_of(const std::vector<ProbeSpeed>& probes) {
  std::vector<double> throughput;
  std::vector<double> memory;
  for (const ProbeSpeed& probe : probes) {
    throughput.push_back(probe.throughput);
    memory.push_back(probe.memory);
  }
  return {median(throughput), median(memory)};
}

/// Measures all iterations as a single sample, as Ceph's tool does. One group of probes runs before the sample, and one group runs
/// after the sample.
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

void measure_samples(Bench& bench, std::vector<Bench>& limits, Probes& probes, Measurement& measurement) {
  const std::vector<TimedRun> limit = fastest_limit(limits);
  Measurement sketch = measurement;
  const auto percent_of = [&](const Sampled& so_far) {
    sketch.sample_iterations = so_far.iterations;
    sketch.samples.assign(so_far.samples.begin(), so_far.samples.end());
    return summarize(sketch).ci_percent();
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto wall_seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  Sampled sampled = sample(
      measurement.point.sampling, bench.placement_count(), timed_run(bench), limit, percent_of, wall_seconds,
      [&] { return probes.run(); }, measurement.reference);
  measurement.sample_iterations = sampled.iterations;
  measurement.samples = std::move(sampled.samples);
  measurement.undisturbed = sampled.undisturbed;
  if (limit.empty()) return;
  measurement.limit_seconds = std::move(sampled.limit_seconds.front());
  for (double& seconds : measurement.limit_seconds) seconds /= static_cast<double>(measurement.operations_per_iteration);
}

}  // namespace

Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference) {
  Team team(point.threads, point.cpus);
  Profilers profilers(point.threads);
  const PlacementPlan plan = plan_placements(point, object.footprint_bytes(), workload_named(point.workload).objects_per_iteration);
  const Placements placements(object, point.threads, plan.count, plan.objects_per_place);
  Bench bench(point, team, workload, placements, &profilers);
  // The loops that measure the memory limit overwrite chunks. Therefore they get their own copies of the object (`scratch`).
  std::vector<std::unique_ptr<Workload>> limit_ways;
  if (needs_limit(point)) {
    limit_ways = limit_workloads(object, workload.transfers(), workload.operations_per_iteration());
  }
  std::optional<Placements> scratch;
  if (!limit_ways.empty()) scratch.emplace(object, point.threads, plan.count, plan.objects_per_place);
  std::vector<Bench> limits;
  for (const auto& way : limit_ways) limits.emplace_back(point, team, *way, *scratch, nullptr);

  Measurement measurement{.point = point,
                          .data_chunk_count = object.code().data_chunk_count(),
                          .chunk_count = object.code().chunk_count(),
                          .sub_chunk_count = object.code().sub_chunk_count(),
                          .chunk_size_bytes = object.chunk_size_bytes(),
                          .patterns = workload.patterns(),
                          .unrecoverable = workload.unrecoverable(),
                          .reads = workload.reads(),
                          .operations_per_iteration = workload.operations_per_iteration(),
                          .pool_bytes = plan.pool_bytes};
  measurement.reference = reference;
  Probes probes(point, team);
  bench.poison_results();
  if (point.iterations > 0) {
    measure_interval(bench, probes, measurement);
  } else {
    measure_samples(bench, limits, probes, measurement);
  }
  bench.check_results();
  return measurement;
}

double measure_bytes(const Point& point, std::size_t footprint_bytes) {
  const PlacementPlan plan = plan_placements(point, footprint_bytes, workload_named(point.workload).objects_per_iteration);
  const double objects = static_cast<double>(plan.objects_per_place) * plan.count * point.threads;
  const double limits = point.iterations == 0 ? 1 : 0;
  constexpr double bookkeeping_bytes = 1024;  // per object, in addition to its chunks
  return objects * (static_cast<double>(footprint_bytes) + bookkeeping_bytes) * (1 + limits);
}

}  // namespace ecbench
