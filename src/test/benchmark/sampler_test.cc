#include "benchmark/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "benchmark/measurement/measurement.h"
#include "benchmark/sampling/samples.h"
#include "shared_machine.h"
#include "test/directories.h"

namespace ecbench {
namespace {

TEST(Calibrate, FindsTheIterationsOfAFastAndOfASlowCall) {
  for (const double seconds : {1e-9, 3e-7, 1e-4, 0.004}) {
    SharedMachine machine{.iteration_seconds = seconds};
    const std::uint64_t iterations = calibrate(machine.run(), 0.005);
    EXPECT_GT(static_cast<double>(iterations) * seconds, 0.0025) << seconds;
    EXPECT_LT(static_cast<double>(iterations) * seconds, 0.010) << seconds;
  }
  SharedMachine slow{.iteration_seconds = 2};
  EXPECT_EQ(calibrate(slow.run(), 0.005), 1u) << "a call takes longer than a sample";
  EXPECT_LE(slow.runs, 3u);
  SharedMachine shared{.has_cpu = [](double clock) { return std::fmod(clock, 0.02) < 0.002; }};
  const std::uint64_t iterations = calibrate(shared.run(), 0.005);
  EXPECT_GT(iterations, 2500U) << "the time without the CPU is left out";
  EXPECT_LT(iterations, 10000U);
}

TEST(Calibrate, MeasuresAPredictionBeforeItIsUsed) {
  // The first runs are slow, as with cold caches.
  int run = 0;
  const TimedRun warming_up = [&](int, std::uint64_t iterations) {
    const double seconds = (++run <= 3 ? 1e-5 : 1e-6) * static_cast<double>(iterations);
    return Sample{.seconds = seconds};
  };
  const std::uint64_t iterations = calibrate(warming_up, 0.005);
  EXPECT_GT(static_cast<double>(iterations) * 1e-6, 0.0025);
  EXPECT_LT(static_cast<double>(iterations) * 1e-6, 0.010);
}

TEST(Sample, VisitsAllPlacementsDuringTheWholeRunAndEndsAfterTheRequestedTime) {
  SharedMachine machine;
  const Sampled sampled = machine.sample_unprobed({.min_seconds = 0.2, .placements = 8});
  ASSERT_GE(sampled.samples.size(), 24u);
  EXPECT_EQ(sampled.samples.size() % 8, 0u);
  for (std::size_t round = 0; round + 8 <= sampled.samples.size(); round += 8) {
    std::set<int> places;
    for (std::size_t i = 0; i < 8; i++) places.insert(sampled.samples[round + i].placement);
    EXPECT_EQ(places.size(), 8u) << "round " << round / 8;
  }
  double seconds = 0;
  for (const Sample& each : sampled.samples) seconds += each.seconds;
  EXPECT_GE(seconds, 0.2);
  EXPECT_LT(seconds, 0.4);
}

TEST(Sample, OfASlowCallEndsAtTheLatestTimeEvenWithinARound) {
  SharedMachine machine{.iteration_seconds = 3};
  const Sampled sampled = machine.sample_unprobed({.min_seconds = 0.2, .max_seconds = 10});
  EXPECT_EQ(sampled.iterations, 1u);
  EXPECT_GE(sampled.samples.size(), 1u);
  EXPECT_LE(machine.clock, 10 + 3 * 3.0) << "calibration and samples that begin before the latest time may end after it";
}

TEST(Sample, ContinuesUntilTheIntervalIsNarrowEnough) {
  SharedMachine machine;
  std::size_t looks = 0;
  const auto narrowing = [&](const Sampled& so_far) {
    looks++;
    return 100.0 / std::sqrt(static_cast<double>(so_far.samples.size()));
  };
  const Sampled sampled =
      machine.sample_unprobed({.min_seconds = 0.01, .max_seconds = 1000, .target_percent = 5.0, .placements = 4}, {}, narrowing);
  EXPECT_GE(sampled.samples.size(), 400u);  // 100 / sqrt(400) = 5
  EXPECT_LE(sampled.samples.size(), 460u);
  EXPECT_LE(looks, 50u) << "the interval is checked seldom, because each check sorts all samples";
}

TEST(Sample, OfOnePlacementHasEnoughForAnIntervalAndGivesUpOnItAtTheLatestTime) {
  SharedMachine slow{.iteration_seconds = 0.1};
  EXPECT_GE(slow.sample_unprobed({.min_seconds = 0.2, .max_seconds = 100, .placements = 1}).samples.size(), 8u);
  SharedMachine machine;
  const auto never = [](const Sampled&) { return 50.0; };
  const Sampled sampled =
      machine.sample_unprobed({.min_seconds = 0.2, .max_seconds = 1, .target_percent = 5.0, .placements = 4}, {}, never);
  EXPECT_FALSE(sampled.samples.empty());
  EXPECT_GE(machine.clock, 1);
  EXPECT_LT(machine.clock, 1.1);
}

TEST(Sample, MeasuresEachReferenceInEveryRoundAndPerIteration) {
  SharedMachine machine;
  SharedMachine plain{.iteration_seconds = 2e-7};
  SharedMachine streaming{.iteration_seconds = 5e-7};
  const std::vector<TimedRun> limits{plain.run(), streaming.run()};
  const Sampled sampled = machine.sample_unprobed({.min_seconds = 0.2}, limits);
  ASSERT_EQ(sampled.limit_seconds.size(), 2u);
  for (const auto& [seconds, expected] : {std::pair{sampled.limit_seconds[0], 2e-7}, {sampled.limit_seconds[1], 5e-7}}) {
    EXPECT_GE(seconds.size(), 9u);
    for (const double each : seconds) EXPECT_NEAR(each, expected, expected * 1e-9);
  }
  EXPECT_LT(plain.clock + streaming.clock, machine.clock) << "the limit takes less time than the operation";
}

// The limit has a least time of its own: the start of a run must not count as slow memory.
TEST(Sample, OfTheLimitIsLongEvenIfTheRequestedTimeIsShort) {
  for (const int placements : {1, 8, 40}) {
    for (const double min_seconds : {1e-6, 0.001, 0.01, 0.2}) {
      SharedMachine machine;
      SharedMachine memory{.iteration_seconds = 2e-7, .overhead_seconds = 5e-6};
      const std::vector<TimedRun> limits{memory.run()};
      const Sampled sampled = machine.sample_unprobed({.min_seconds = min_seconds, .placements = placements}, limits);
      ASSERT_FALSE(sampled.limit_seconds[0].empty());
      for (const double seconds : sampled.limit_seconds[0]) EXPECT_NEAR(seconds, 2e-7, 2e-7 * 0.05) << min_seconds;
    }
  }
}

TEST(Sample, OfAQuietMachineIsCleanAndProbedOnBothSides) {
  SharedMachine machine;
  const Sampled sampled = machine.sample({.min_seconds = 0.2});
  EXPECT_EQ(clean_count(sampled.samples), sampled.samples.size());
  EXPECT_EQ(machine.probes, sampled.samples.size() + 1);
  EXPECT_DOUBLE_EQ(sampled.undisturbed.throughput, 16);
}

TEST(Sample, ContinuesUntilEnoughSamplesHadTheCpu) {
  // During the first two seconds, another process uses the CPU, except for 1 ms of every 20 ms.
  SharedMachine machine{.has_cpu = [](double clock) { return clock > 2 || std::fmod(clock, 0.02) < 0.001; }};
  const Sampled sampled = machine.sample({.min_seconds = 0.2});
  EXPECT_GT(machine.clock, 2);
  EXPECT_LT(machine.clock, 4);
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8);
}

TEST(Sample, IsShortenedUntilItFitsIntoATimeSlice) {
  // A busy loop on the same CPU alternates with it every 4 ms. A sample of 25 ms never has the CPU for its whole duration.
  SharedMachine machine{.has_cpu = [](double clock) { return std::fmod(clock, 0.008) < 0.004; }};
  const Sampled sampled = machine.sample({.min_seconds = 1});
  EXPECT_LE(static_cast<double>(sampled.iterations), 2000) << "an iteration takes 1 us";
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_LT(clean_count(sampled.samples), sampled.samples.size());
  EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8) << "with the samples that are not clean, the time would be twice as long";
  for (const Sample& sample : sampled.samples) {
    EXPECT_EQ(sample.disturbance == Disturbance::none, sample.cpu_share >= 0.98);
  }
}

TEST(Sample, OfACallLongerThanATimeSliceIsNotCleanAndWaitedForOnlyForALimitedTime) {
  for (const auto& [min_seconds, max_seconds, patience_seconds] : {std::tuple(0.2, 3.0, 3.0), std::tuple(0.01, 100.0, 2.0)}) {
    SharedMachine machine{.iteration_seconds = 0.02, .has_cpu = [](double clock) { return std::fmod(clock, 0.008) < 0.004; }};
    const Sampled sampled = machine.sample(
        {.min_seconds = min_seconds, .max_seconds = max_seconds, .patience_seconds = patience_seconds, .placements = 2});
    EXPECT_EQ(sampled.iterations, 1U);
    EXPECT_GE(machine.clock, patience_seconds);
    EXPECT_LT(machine.clock, patience_seconds + 1);
    EXPECT_FALSE(enough_clean(sampled.samples));
    EXPECT_EQ(counted_samples(sampled.samples).size(), sampled.samples.size()) << "if too few samples are clean, all are used";
  }
}

TEST(Sample, IsNotShortenedWhenHalfOfTheTimeIsOver) {
  // Shorter samples would replace the earlier ones, and the remaining 0.8 s would allow only few of them.
  SharedMachine machine{.has_cpu = [](double clock) { return clock < 1.2 || std::fmod(clock, 0.008) < 0.004; }};
  const Sampled sampled = machine.sample({.min_seconds = 1, .max_seconds = 2, .patience_seconds = 2});
  EXPECT_GT(sampled.iterations, 10'000U) << "a sample is 25 ms long, and an iteration takes 1 us";
  EXPECT_LT(clean_count(sampled.samples), sampled.samples.size());
  EXPECT_TRUE(enough_clean(sampled.samples));
}

TEST(Sample, NextToASlowProbeDoesNotCount) {
  // Another hardware thread uses the core. The CPU time does not show this.
  SharedMachine machine{.slowdown = [](double clock) { return std::fmod(clock, 0.1) < 0.03 ? 2.0 : 1.0; }};
  const Sampled sampled = machine.sample({.min_seconds = 0.5});
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_LT(clean_count(sampled.samples), sampled.samples.size());
  for (const Sample& sample : sampled.samples) {
    EXPECT_EQ(sample.disturbance, sample.probe.throughput < 15 ? Disturbance::core_shared : Disturbance::none);
  }
  EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8);
}

TEST(Sample, OfACoreThatIsSharedAllTheTimeIsNotCleanIfItWasFasterBefore) {
  const Sampling sampling{.min_seconds = 0.2, .max_seconds = 1, .patience_seconds = 1};
  SharedMachine machine{.slowdown = [](double) { return 2.0; }};
  EXPECT_TRUE(enough_clean(machine.sample(sampling).samples)) << "without a reference, the disturbance cannot be detected";
  const Sampled sampled = machine.sample(sampling, {.throughput = 16});
  EXPECT_EQ(clean_count(sampled.samples), 0U);
  EXPECT_DOUBLE_EQ(sampled.undisturbed.throughput, 8);
  EXPECT_TRUE(enough_clean(machine.sample(sampling, {.throughput = 8.5}).samples))
      << "the difference is within the spread of probes";
}

TEST(Sample, OfTheLimitCountsIfItIsClean) {
  SharedMachine machine{.slowdown = [](double clock) { return std::fmod(clock, 0.1) < 0.03 ? 2.0 : 1.0; }};
  const std::vector<TimedRun> limits{machine.run(), machine.run()};
  const Sampled sampled = machine.sample({.min_seconds = 0.5}, {}, limits);
  for (const std::vector<double>& seconds : sampled.limit_seconds) {
    ASSERT_GE(seconds.size(), 3U);
    EXPECT_LT(std::ranges::max(seconds), 1.2e-6) << "in samples that are not clean, an iteration takes up to 2 us";
  }
}

TEST(Disturbance, OfMemoryIsDetectedOnlyIfMemoryIsProbed) {
  const ProbeSpeed undisturbed{.throughput = 16, .memory = 20};
  EXPECT_EQ(disturbance_of({.probe = {.throughput = 16, .memory = 8}}, undisturbed), Disturbance::memory_busy);
  EXPECT_EQ(disturbance_of({.probe = {.throughput = 16, .memory = 19}}, undisturbed), Disturbance::none);
  EXPECT_EQ(disturbance_of({.probe = {.throughput = 16}}, undisturbed), Disturbance::none)
      << "memory is not probed for a warm point";
  EXPECT_EQ(disturbance_of({.cpu_share = 0.9}, undisturbed), Disturbance::cpu_taken);
}

/// `count` samples of each placement. The first `clean` samples of each placement are clean.
std::vector<Sample> samples_of(int placements, int count, int clean) {
  std::vector<Sample> samples;
  for (int i = 0; i < placements * count; i++) {
    samples.push_back({.placement = i % placements,
                       .seconds = i / placements < clean ? 1.0 : 5.0,
                       .disturbance = i / placements < clean ? Disturbance::none : Disturbance::core_shared});
  }
  return samples;
}

TEST(CleanSamples, AreEnoughInSixPlacementsOrInAll) {
  EXPECT_TRUE(enough_clean(samples_of(8, 5, 3)));
  EXPECT_FALSE(enough_clean(samples_of(8, 5, 2)));
  EXPECT_FALSE(enough_clean(samples_of(2, 10, 3))) << "6 samples are fewer than 8";
  EXPECT_TRUE(enough_clean(samples_of(2, 10, 4)));
  EXPECT_TRUE(enough_clean(samples_of(1, 1, 1))) << "one slow call, which was not disturbed";
  EXPECT_FALSE(enough_clean(samples_of(1, 1, 0)));
  std::vector<Sample> samples = samples_of(8, 5, 3);
  for (Sample& sample : samples) {
    if (sample.placement < 3) sample.disturbance = Disturbance::cpu_taken;
  }
  EXPECT_FALSE(enough_clean(samples)) << "15 samples in 5 placements";
}

TEST(UndisturbedSpeed, IsTheUpperQuartileOrTheMedianAndIgnoresASingleFastProbe) {
  std::vector<ProbeSpeed> probes(19, {.throughput = 16, .memory = 20});
  for (std::size_t i = 0; i < 12; i++) probes[i].throughput = 8;
  for (std::size_t i = 0; i < 8; i++) probes[i].memory = 10;
  probes.push_back({.throughput = 30, .memory = 90});
  EXPECT_EQ(undisturbed_speed(probes), (ProbeSpeed{.throughput = 16, .memory = 20}));
  probes.resize(15);
  EXPECT_EQ(undisturbed_speed(probes), ProbeSpeed()) << "there are too few probes";
}

Measurement measurement_of(const Sampling& sampling, const std::vector<Sample>& samples) {
  return {.point = {.size_bytes = 1'000'000, .sampling = sampling}, .sample_iterations = 10, .samples = samples};
}

TEST(Summary, IsTheMedianOfThePlacementsMedians) {
  // Placement 0 has most of the samples, but no more weight.
  std::vector<Sample> samples(50, {.placement = 0, .seconds = 1, .cpu_seconds = 1});
  for (int i = 0; i < 5; i++) {
    samples.push_back({.placement = 1, .seconds = 2, .cpu_seconds = 2});
    samples.push_back({.placement = 2, .seconds = 4, .cpu_seconds = 4});
  }
  const Summary summary = summarize(measurement_of({.drift_floor_percent = 0}, samples));
  EXPECT_DOUBLE_EQ(summary.ns_per_op, 2e9 / 10);
  EXPECT_DOUBLE_EQ(summary.gb_per_s, 1e6 / 0.2 / 1e9);
  EXPECT_DOUBLE_EQ(summary.placement_spread, 3);  // 4 / 1 - 1
  EXPECT_EQ(summary.iterations, 600u);
}

TEST(Summary, HasThePercentageOfTheLimit) {
  Measurement measurement = measurement_of({}, std::vector<Sample>(6, {.seconds = 1, .cpu_seconds = 1}));
  measurement.limit_seconds = {0.02, 0.04, 0.05};  // seconds per iteration; an iteration of the operation takes 0.1 s
  const Summary summary = summarize(measurement);
  EXPECT_DOUBLE_EQ(summary.limit_gb_per_s, 1e6 / 0.04 / 1e9);
  EXPECT_DOUBLE_EQ(summary.percent_of_limit, 40);
}

TEST(Summary, IsOfTheCleanSamplesIfTheyAreEnough) {
  const Summary summary = summarize(measurement_of({.drift_floor_percent = 0}, samples_of(8, 5, 3)));
  EXPECT_DOUBLE_EQ(summary.gb_per_s, 1e6 / 0.1 / 1e9);
  EXPECT_DOUBLE_EQ(summary.seconds, 24);
  EXPECT_EQ(summary.iterations, 240U);
  EXPECT_DOUBLE_EQ(summary.drift, 0) << "the samples at the end are slow, but are not used";
  EXPECT_DOUBLE_EQ(summarize(measurement_of({}, samples_of(8, 5, 1))).gb_per_s, 1e6 / 0.5 / 1e9)
      << "too few of all samples are clean";
}

TEST(Summary, TheDriftFloorWidensTheInterval) {
  std::vector<Sample> samples;
  for (int place = 0; place < 8; place++) samples.push_back({.placement = place, .seconds = 1, .cpu_seconds = 1});
  EXPECT_DOUBLE_EQ(summarize(measurement_of({.drift_floor_percent = 0}, samples)).ci_percent(), 0);
  EXPECT_NEAR(summarize(measurement_of({.drift_floor_percent = 2}, samples)).ci_percent(), 2, 1e-9);
}

// The samples of a placement are similar. An interval that treats them as independent would contain the median less often.
TEST(Summary, TheIntervalContainsTheTrueMedianAtItsConfidence) {
  std::mt19937_64 engine(1);
  std::lognormal_distribution<double> place_cost(0, 0.2);
  std::normal_distribution<double> noise(1, 0.01);
  int held = 0;
  constexpr int runs = 2000;
  for (int run = 0; run < runs; run++) {
    std::vector<Sample> samples;
    for (int place = 0; place < 8; place++) {
      const double cost = place_cost(engine);
      for (int i = 0; i < 5; i++) samples.push_back({.placement = place, .seconds = 10 * cost * noise(engine)});
    }
    const Summary summary = summarize(measurement_of({.drift_floor_percent = 0}, samples));
    const double truth = 1e6 / 1.0 / 1e9;  // the speed at the median place_cost, which is 1
    held += summary.ci_low <= truth && truth <= summary.ci_high;
  }
  EXPECT_GE(held, runs * 0.95);
}

using Values = std::vector<double>;

TEST(MedianInterval, AgreesWithExactArithmetic) {
  const auto vectors = nlohmann::json::parse(std::ifstream(test_data_directory() / "median_intervals.json"));
  ASSERT_GT(vectors.size(), 200u);
  for (const auto& expected : vectors) {
    const Values values = expected.at("values");
    const Interval interval = median_interval(values, expected.at("wanted_confidence"));
    EXPECT_DOUBLE_EQ(median(values), expected.at("median")) << expected.at("name");
    EXPECT_EQ(interval.low, expected.at("low")) << expected.at("name");
    EXPECT_EQ(interval.high, expected.at("high")) << expected.at("name");
    EXPECT_NEAR(interval.confidence, expected.at("confidence"), 1e-12) << expected.at("name");
  }
}

TEST(MedianInterval, OfOneValueHasNoConfidence) { EXPECT_EQ(median_interval(Values{7}, 0.95).confidence, 0); }

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(median_absolute_deviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(median_absolute_deviation(Values{4, 4, 4}), 0);
}

TEST(OutlierCount, CountsValuesTenStandardDeviationsAway) {
  // Median 10, median absolute deviation 1, so the limits are 10 ± 14.826.
  EXPECT_EQ(outlier_count(Values{8, 9, 10, 11, 12}), 0u);
  EXPECT_EQ(outlier_count(Values{9, 9, 10, 11, 24.8}), 0u);
  EXPECT_EQ(outlier_count(Values{9, 9, 10, 11, 24.9}), 1u);
  EXPECT_EQ(outlier_count(Values{-4.9, 9, 9, 10, 11, 11, 24.9}), 2u);
  EXPECT_EQ(outlier_count(Values{8, 9, 10, 11, 12}, 1.5), 2u);
  EXPECT_EQ(outlier_count(Values{5, 5, 5}), 0u);
  EXPECT_EQ(outlier_count(Values{5, 5, 5, 5.001, 9}), 2u);
}

TEST(Drift, ComparesTheLastThirdInTimeWithTheFirst) {
  EXPECT_NEAR(drift(Values{10, 10, 10, 99, 1, 50, 11, 11, 11}), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(drift(Values{11, 11, 11, 10, 10, 10, 10, 10, 10}), 10.0 / 11 - 1);
  // A third of eight values is two.
  EXPECT_DOUBLE_EQ(drift(Values{1, 3, 9, 9, 9, 9, 2, 4}), 0.5);
  EXPECT_DOUBLE_EQ(drift(Values{4, 5}), 0.25);
  EXPECT_EQ(drift(Values{4}), 0);
  EXPECT_EQ(drift(Values{10, 10, 10, 10, 10, 10, 10, 1000, 10}), 0) << "an outlier";
  Values values;  // a steady rise
  for (int i = 0; i < 100; i++) values.push_back(1 + 0.0009 * i);
  EXPECT_NEAR(drift(values), 0.06, 0.002);
}

}  // namespace
}  // namespace ecbench
