#include "benchmark/sampling/sampler.h"

#include <algorithm>
#include <cmath>

namespace ecbench {
namespace {

constexpr int rounds_wanted = 5;
// Two readings of the clock (50 ns) take 0.1 % of this time.
constexpr double shortest_sample_seconds = 50e-6;
// Long compared with the start of all threads (up to 50 us) and a probe (40 us).
constexpr double shortest_clean_seconds = 1e-3;
constexpr double shortening = 0.25;
constexpr double limit_share = 0.25;
// A shorter run of a limit is mostly its start, so that the limit seems lower than it is. shorten_if_disturbed() keeps this time.
constexpr double shortest_limit_seconds = shortest_clean_seconds * limit_share;

double sample_seconds(const Sampling& sampling, int placements) {
  // Five rounds, or eight samples if these are fewer, take min_seconds.
  const double samples = std::max<double>(placements * rounds_wanted, fewest_samples);
  return std::max(shortest_sample_seconds, sampling.min_seconds / samples);
}

std::uint64_t scaled(std::uint64_t iterations, double factor) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(static_cast<double>(iterations) * factor)));
}

struct Series {
  const TimedRun* run = nullptr;
  std::uint64_t iterations = 1;
  std::vector<Sample> samples = {};

  double seconds(bool only_clean) const {
    double sum = 0;
    for (const Sample& sample : samples) sum += !only_clean || sample.disturbance == Disturbance::none ? sample.seconds : 0;
    return sum;
  }

  void judge(const ProbeSpeed& undisturbed) {
    for (Sample& sample : samples) sample.disturbance = disturbance_of(sample, undisturbed);
  }
};

class Sampler {
 public:
  Sampler(const Sampling& sampling, int placements, const TimedProbe& probe, const ProbeSpeed& reference, const SharedCore& before)
      : sampling_(sampling),
        placements_(static_cast<std::size_t>(placements)),
        probe_(probe),
        reference_(reference),
        earlier_(before),
        wanted_seconds_(sample_seconds(sampling, placements)) {}

  void begin(const TimedRun& work, std::span<const TimedRun> limits) {
    work_ = {&work, calibrate(work, wanted_seconds_)};
    for (const TimedRun& limit : limits) {
      limits_.push_back({&limit, calibrate(limit, wanted_seconds_ * limit_share_of(sampling_, static_cast<int>(placements_)))});
    }
  }

  void warm_up(int placement) { (*work_.run)(placement, work_.iterations); }

  /// One sample of the work, and one of the next limit. True after the last sample of a round.
  bool take() {
    const std::size_t round = turn_ / placements_;
    const int placement = static_cast<int>((round + turn_) % placements_);
    if (turn_ == 0) before_ = probe();
    take(work_, placement);
    if (!limits_.empty()) take(limits_[turn_ % limits_.size()], placement);
    return ++turn_ % placements_ == 0;
  }

  /// `seconds`: since the first sample.
  void judge(double seconds) {
    undisturbed_ = undisturbed_speed(probes_);
    const ProbeSpeed best = faster(reference_, undisturbed_);
    judge(best);
    core_use_ = dropped_;
    core_use_.add(work_.samples);
    const double throughput = undisturbed_.throughput > 0 ? undisturbed_.throughput : earlier_.throughput;  // too few probes
    shared_core_ = continued(earlier_, shared_core_of(core_use_, throughput, seconds));
    if (shared_core_.is_state()) judge({shared_core_.throughput, best.memory});
  }

  bool enough() const {
    return turn_ / placements_ >= fewest_rounds && work_.samples.size() >= fewest_samples &&
           work_.seconds(false) >= sampling_.min_seconds;
  }

  bool enough_are_clean() const {
    return clean_count(work_.samples) >= fewest_samples && enough_clean(work_.samples) &&
           work_.seconds(true) >= sampling_.min_seconds &&
           std::ranges::all_of(limits_, [](const Series& series) { return clean_count(series.samples) >= fewest_rounds; });
  }

  void shorten_if_disturbed() {
    const std::span<const Sample> last(work_.samples.end() - static_cast<std::ptrdiff_t>(placements_), work_.samples.end());
    const double seconds = std::max(shortest_clean_seconds, wanted_seconds_ * shortening);
    if (2 * clean_count(last) >= last.size() || seconds >= wanted_seconds_ || work_.iterations == 1) return;
    const double factor = seconds / wanted_seconds_;
    wanted_seconds_ = seconds;
    shorten(work_, factor);
    for (Series& limit : limits_) shorten(limit, factor);
    dropped_ = core_use_;
    turn_ = 0;
  }

  Sampled result() const {
    Sampled result{work_.iterations, work_.samples, {}, undisturbed_, shared_core_};
    for (const Series& limit : limits_) {
      const bool all = clean_count(limit.samples) < fewest_rounds;
      std::vector<double>& seconds = result.limit_seconds.emplace_back();
      for (const Sample& sample : limit.samples) {
        if (all || sample.disturbance == Disturbance::none) {
          seconds.push_back(sample.seconds / static_cast<double>(limit.iterations));
        }
      }
    }
    return result;
  }

 private:
  void judge(const ProbeSpeed& best) {
    work_.judge(best);
    for (Series& limit : limits_) limit.judge(best);
  }

  static void shorten(Series& series, double factor) {
    series.iterations = scaled(series.iterations, factor);
    series.samples.clear();
  }

  ProbeSpeed probe() {
    if (!probe_) return {};
    probes_.push_back(probe_());
    return probes_.back();
  }

  void take(Series& series, int placement) {
    series.samples.push_back((*series.run)(placement, series.iterations));
    Sample& sample = series.samples.back();
    sample.placement = placement;
    const ProbeSpeed after = probe();
    sample.probe = slower(before_, after);
    before_ = after;
  }

  const Sampling& sampling_;
  std::size_t placements_;
  const TimedProbe& probe_;
  ProbeSpeed reference_;
  SharedCore earlier_;
  double wanted_seconds_;
  Series work_;
  std::vector<Series> limits_;
  std::vector<ProbeSpeed> probes_;
  ProbeSpeed before_;
  ProbeSpeed undisturbed_;
  CoreUse dropped_;   // of the samples before they were shortened
  CoreUse core_use_;  // of all samples
  SharedCore shared_core_;
  std::size_t turn_ = 0;  // number of samples of the work since the samples were last shortened
};

}  // namespace

double limit_share_of(const Sampling& sampling, int placements) {
  return std::max(limit_share, shortest_limit_seconds / sample_seconds(sampling, placements));
}

std::uint64_t calibrate(const TimedRun& run, double wanted_seconds) {
  // Without the time in which other processes used the CPU.
  const auto seconds_of = [&run](std::uint64_t iterations) {
    const Sample sample = run(0, iterations);
    return sample.seconds * std::clamp(sample.cpu_share, 0.01, 1.0);
  };
  std::uint64_t iterations = 1;
  double seconds = seconds_of(iterations);
  while (seconds < wanted_seconds / 10) {
    iterations *= 10;
    seconds = seconds_of(iterations);
  }
  for (int check = 0; check < 5; check++) {
    const double factor = wanted_seconds / seconds;
    if (factor > 0.5 && factor < 2 && check > 0) break;
    iterations = scaled(iterations, factor);
    seconds = seconds_of(iterations);
    if (iterations == 1) break;
  }
  return iterations;
}

Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> limits,
               const std::function<double(const Sampled&)>& percent_of, const std::function<double()>& wall_seconds,
               const TimedProbe& probe, const ProbeSpeed& reference, const SharedCore& before) {
  const double begin = wall_seconds();
  const double deadline = begin + sampling.max_seconds;
  // Shortening begins again, so it is done only in the first half of the time.
  const double latest_shortening = begin + std::min(sampling.max_seconds, sampling.patience_seconds) / 2;
  Sampler sampler(sampling, placements, probe, reference, before);
  sampler.begin(work, limits);
  for (int placement = 0; placement < placements && wall_seconds() < deadline; placement++) sampler.warm_up(placement);
  const double first_sample = wall_seconds();
  std::size_t next_look = 0;
  for (;;) {
    const bool round_ended = sampler.take();
    const bool late = wall_seconds() >= deadline;
    if (!late && !round_ended) continue;
    sampler.judge(wall_seconds() - first_sample);
    if (late) break;
    const bool patient = wall_seconds() < begin + sampling.patience_seconds;
    if (!sampler.enough() || (patient && !sampler.enough_are_clean())) {
      if (wall_seconds() < latest_shortening) sampler.shorten_if_disturbed();
      continue;
    }
    if (!sampling.target_percent) break;
    // percent_of() sorts all samples, so it is called less often when there are more.
    const Sampled so_far = sampler.result();
    if (so_far.samples.size() < next_look) continue;
    if (percent_of(so_far) <= *sampling.target_percent) break;
    next_look = so_far.samples.size() + so_far.samples.size() / 8;
  }
  return sampler.result();
}

}  // namespace ecbench
