// Instead of measure.cc and run_slice.cc: each workload runs once and is verified; its times come
// from the Truth, and pass on a clock of their own.

#include <algorithm>
#include <cmath>

#include "benchmark/limit/limit.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/sampling/sampler.h"
#include "benchmark/sampling/samples.h"
#include "benchmark/sampling/team.h"
#include "benchmark/slices/slices.h"
#include "erasure_code/error.h"
#include "truth.h"

namespace ecbench {
namespace {

constexpr double usual_share_of_disturbed_cpu = 0.5;
constexpr std::size_t fastest_background = 2'000'000'000;  // bytes per second

void run_once(const EncodedObject& object, const Workload& workload, std::size_t objects, bool goes_wrong) {
  std::vector<std::unique_ptr<const EncodedObject>> copies;
  std::vector<const EncodedObject*> all{&object};
  while (all.size() < objects) all.push_back(copies.emplace_back(std::make_unique<EncodedObject>(object)).get());
  workload.poison_results(object);
  if (!goes_wrong) workload.run(all, 0, 1);
  workload.check_results(object);
  if (goes_wrong) throw Error("the fake code computed wrong bytes", Error::Kind::wrong_bytes);
}

/// The time of an operation at 1 GB/s.
double seconds_at_1_gb_per_s(const Point& point, const ErasureCode& code) {
  const double share = point.changed_chunks > 0 ? 1.0 * point.changed_chunks / code.data_chunk_count() : 1;
  return static_cast<double>(point.size_bytes) * share * point.threads / 1e9;
}

class Times {
 public:
  Times(fake::Truth& truth, const Point& point, double seconds, double limit_seconds)
      : truth_(truth), point_(point), seconds_(seconds), limit_seconds_(limit_seconds) {}

  double now() const { return now_; }

  Paced paced(double greatest_rate) {
    const double rate = point_.pace->is_percent ? greatest_rate * point_.pace->amount / 100 : point_.pace->amount;
    std::vector<Schedule> schedules;
    std::vector<PacedLog> logs;
    for (int thread = 0; thread < point_.threads; thread++) {
      schedules.push_back(schedule_of(point_.sampling, rate, point_.threads, thread, 0));
      logs.emplace_back(schedules.back());
      std::int64_t now = 0;
      const PaceClock clock{.now_ns = [&] { return now; }, .sleep_until_ns = [&](std::int64_t time) { now = std::max(now, time); }};
      run_paced(
          schedules.back(), clock, [&](std::uint64_t) { now += std::llround(seconds_ * 1e9 * truth_.next(0)); }, logs.back());
    }
    return paced_of(rate, schedules, logs);
  }

  Sample sample(std::uint64_t iterations) {
    const double wanted = point_.iterations > 0 ? 1 : 1.5 * point_.sampling.min_seconds;
    const double seconds = static_cast<double>(iterations) * seconds_ * truth_.next(std::min(1.0, now_ / wanted));
    const double share = truth_.is_disturbed() ? usual_share_of_disturbed_cpu : 1;
    now_ += seconds / share;
    return {.seconds = seconds / share,
            .cpu_seconds = seconds * point_.threads,
            .thread_seconds = std::vector<double>(static_cast<std::size_t>(point_.threads), seconds / share),
            .cpu_share = share};
  }

  Sample of_limit(std::uint64_t iterations) {
    now_ += static_cast<double>(iterations) * limit_seconds_;
    return {.seconds = static_cast<double>(iterations) * limit_seconds_, .cpu_share = 1};
  }

 private:
  fake::Truth& truth_;
  const Point& point_;
  double seconds_, limit_seconds_;
  double now_ = 0;
};

void take_samples(Times& clock, bool with_limit, Measurement& measurement) {
  std::vector<TimedRun> limits;
  if (with_limit) limits.emplace_back([&](int, std::uint64_t iterations) { return clock.of_limit(iterations); });
  Measurement sketch = measurement;
  const auto percent_of = [&](const Sampled& so_far) {
    sketch.sample_iterations = so_far.iterations;
    sketch.samples.assign(so_far.samples.begin(), so_far.samples.end());
    return summarize(sketch).ci_percent();
  };
  const PlacementPlan plan = plan_placements(measurement.point, measurement.chunk_size_bytes,
                                             workload_named(measurement.point.workload).objects_per_iteration);
  Sampled sampled = sample(
      measurement.point.sampling, plan.count, [&](int, std::uint64_t iterations) { return clock.sample(iterations); }, limits,
      percent_of, [&] { return clock.now(); });
  measurement.pool_bytes = plan.pool_bytes;
  measurement.sample_iterations = sampled.iterations;
  measurement.samples = std::move(sampled.samples);
  if (!with_limit) return;
  measurement.limit_seconds = std::move(sampled.limit_seconds.front());
  for (double& seconds : measurement.limit_seconds) seconds /= static_cast<double>(measurement.operations_per_iteration);
}

}  // namespace

Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference,
                    BackgroundWork* background) {
  check_cpus(point.cpus);
  fake::Truth truth(point);
  const WorkloadDescriptor& descriptor = workload_named(point.workload);
  run_once(object, workload, descriptor.objects_per_iteration, truth.wrong_bytes());
  Measurement measurement = unmeasured(point, object, workload, reference);
  const double seconds = seconds_at_1_gb_per_s(point, object.code()) * static_cast<double>(measurement.operations_per_iteration);
  Times clock(truth, point, seconds / truth.speed(), seconds / truth.limit());
  if (background != nullptr) {
    const WorkloadDescriptor& other = workload_named(point.background->workload);
    run_once(background->object(), background->workload(), other.objects_per_iteration, false);
    measurement.background_bytes_per_s = static_cast<double>(point.background->bytes_per_s.value_or(fastest_background));
  }
  if (point.pace) {
    measurement.paced = clock.paced(point.threads * truth.speed() / seconds);
    const double of_all = measurement.paced->seconds;
    measurement.sample_iterations =
        std::max<std::uint64_t>(1, measurement.paced->finished / static_cast<std::uint64_t>(point.threads));
    measurement.samples = {{.seconds = of_all, .cpu_seconds = of_all / 2, .thread_seconds = {of_all}}};
    return measurement;
  }
  if (point.iterations > 0) {
    measurement.sample_iterations = point.iterations;
    measurement.samples = {clock.sample(point.iterations)};
    measurement.samples.front().disturbance = disturbance_of(measurement.samples.front(), {});
    return measurement;
  }
  const bool needs_limit = point.sampling.measures_limit && !point.background && !descriptor.is_reference_loop;
  const std::string& file = point.sampling.limit_file;
  const std::string key = file.empty() || !needs_limit ? "" : limit_key(point, object, workload);
  const std::optional<StoredLimit> stored = key.empty() ? std::nullopt : read_limit(file, key);
  take_samples(clock, needs_limit && !stored, measurement);
  if (stored) {
    measurement.limit_seconds = {stored->seconds};
    measurement.limit_age_seconds = stored->age_seconds;
  } else if (!key.empty() && enough_clean(measurement.samples)) {
    store_limit(file, key, median(measurement.limit_seconds));
  }
  return measurement;
}

double measure_bytes(const Point&, std::size_t) { return 0; }

std::optional<double> plan_ns(const ErasureCode&, const std::vector<PlanRequest>& requests, const std::vector<int>&,
                              const std::function<double()>&) {
  return requests.empty() ? std::nullopt : std::optional(900.0);
}

double call_overhead_ns(const ErasureCode&, const std::vector<int>&) { return 2; }

std::optional<double> crc32c_seconds_per_gb(const EncodedObject&, const std::vector<int>&) { return 0.0625; }

Team::Times Slices::run(std::uint64_t& next, std::uint64_t iterations) {
  static fake::Truth truth(point_);
  const EncodedObject& object = *placements_.objects(0, 0).front();
  if (next == 0 || truth.wrong_bytes()) run_once(object, workload_, 1, truth.wrong_bytes());
  next += iterations;
  const double one = seconds_at_1_gb_per_s(point_, object.code()) * static_cast<double>(workload_.operations_per_iteration());
  const double seconds = one / truth.speed() * static_cast<double>(iterations) * truth.next(0);
  const double share = truth.is_disturbed() ? usual_share_of_disturbed_cpu : 1;
  return {.seconds = seconds / share, .cpu_seconds = seconds, .thread_seconds = {seconds / share}, .cpu_share = share};
}

}  // namespace ecbench
