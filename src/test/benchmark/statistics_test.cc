#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "benchmark/sampling/samples.h"
#include "test/directories.h"

namespace ecbench {
namespace {

using Values = std::vector<double>;
using Draw = std::function<double(std::mt19937_64&)>;

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

TEST(MedianInterval, HasItsConfidenceIfFiveValuesAreTooFew) {
  const Interval five = median_interval(Values{3, 1, 2, 5, 4}, 0.95);
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_DOUBLE_EQ(five.confidence, 0.9375);
  EXPECT_GE(median_interval(Values{3, 1, 2, 5, 4, 6}, 0.95).confidence, 0.95);
  EXPECT_EQ(median_interval(Values{7}, 0.95).confidence, 0);
}

TEST(MedianInterval, IsNotChangedByOneOutlier) {
  Values values(25);
  for (std::size_t i = 0; i < values.size(); i++) values[i] = 100 + static_cast<double>(i);
  const Interval calm = median_interval(values, 0.95);
  values.back() = 1e9;
  EXPECT_EQ(median_interval(values, 0.95).low, calm.low);
  EXPECT_EQ(median_interval(values, 0.95).high, calm.high);
}

/// In each round, draws `count` random values, and computes from them the confidence interval of the median. `truth` is the median
/// of the distribution. Returns the number of rounds in which the interval contains `truth`.
int rounds_covered(const Draw& draw, double truth, int rounds, std::size_t count, double confidence) {
  std::mt19937_64 random(20261120);
  int covered = 0;
  Values values(count);
  for (int i = 0; i < rounds; i++) {
    std::ranges::generate(values, [&] { return draw(random); });
    const Interval interval = median_interval(values, confidence);
    if (interval.low <= truth && truth <= interval.high) covered++;
  }
  return covered;
}

struct Known {
  const char* name;
  Draw draw;
  double median;
};

double unit(std::mt19937_64& random) { return std::generate_canonical<double, 53>(random); }

std::vector<Known> known_distributions() {
  return {
      {"lognormal", [](auto& random) { return std::lognormal_distribution<double>(0, 1)(random); }, 1.0},
      {"exponential", [](auto& random) { return -std::log1p(-unit(random)); }, std::log(2.0)},
      // This Pareto distribution has no finite mean. Very large values would change the average of a sample, but hardly change its
      // median.
      {"Pareto", [](auto& random) { return 1 / (1 - unit(random)); }, 2.0},
      {"two modes", [](auto& random) { return unit(random) < 0.6 ? unit(random) : 10 + unit(random); }, 5.0 / 6},
  };
}

TEST(MedianInterval, ContainsTheTrueMedianAtItsConfidence) {
  constexpr int rounds = 2000;
  for (const Known& known : known_distributions()) {
    for (const std::size_t count : {5, 8, 25, 60}) {
      const double stated = median_interval(Values(count, 1.0), 0.95).confidence;
      const double expected = stated * rounds;
      const double deviation = std::sqrt(rounds * stated * (1 - stated));
      // The tolerance is four standard deviations. A correct interval has a larger deviation with a probability of 1 in 16,000. The
      // seed is fixed, so each run of the test has the same result.
      EXPECT_NEAR(rounds_covered(known.draw, known.median, rounds, count, 0.95), expected, 4 * deviation)
          << known.name << ", " << count << " values";
    }
  }
}

TEST(Median, IsTheMiddleOrHalfwayBetweenTheTwoMiddleValues) {
  EXPECT_EQ(median(Values{5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5, 6}), 5.5);
}

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(median_absolute_deviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(median_absolute_deviation(Values{4, 4, 4}), 0);
}

TEST(MedianAbsoluteDeviation, IsTwoThirdsOfANormalStandardDeviation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> draw(50, 3);
  Values values(20001);
  std::ranges::generate(values, [&] { return draw(random); });
  EXPECT_NEAR(median_absolute_deviation(values) * 1.4826, 3, 0.08);
}

TEST(OutlierCount, CountsValuesTenStandardDeviationsAway) {
  // In each set of values, the median is 10 and the median absolute deviation is 1. With the default limit, a value is an outlier
  // if it is less than 10 - 14.826 or more than 10 + 14.826.
  EXPECT_EQ(outlier_count(Values{8, 9, 10, 11, 12}), 0u);
  EXPECT_EQ(outlier_count(Values{9, 9, 10, 11, 24.8}), 0u);
  EXPECT_EQ(outlier_count(Values{9, 9, 10, 11, 24.9}), 1u);
  EXPECT_EQ(outlier_count(Values{-4.9, 9, 9, 10, 11, 11, 24.9}), 2u);
  EXPECT_EQ(outlier_count(Values{8, 9, 10, 11, 12}, 1.5), 2u);
}

TEST(OutlierCount, CountsAllOtherValuesIfMostAreEqual) {
  EXPECT_EQ(outlier_count(Values{5, 5, 5}), 0u);
  EXPECT_EQ(outlier_count(Values{5, 5, 5, 5.001, 9}), 2u);
}

TEST(Drift, ComparesTheLastThirdInTimeWithTheFirst) {
  EXPECT_NEAR(drift(Values{10, 10, 10, 99, 1, 50, 11, 11, 11}), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(drift(Values{11, 11, 11, 10, 10, 10, 10, 10, 10}), 10.0 / 11 - 1);
  // A third of eight values is rounded down to two values: the first third is 1 and 3, the last third is 2 and 4.
  EXPECT_DOUBLE_EQ(drift(Values{1, 3, 9, 9, 9, 9, 2, 4}), 0.5);
  EXPECT_DOUBLE_EQ(drift(Values{4, 5}), 0.25);
  EXPECT_EQ(drift(Values{4}), 0);
}

TEST(Drift, IgnoresASingleOutlier) { EXPECT_EQ(drift(Values{10, 10, 10, 10, 10, 10, 10, 1000, 10}), 0); }

TEST(Drift, DetectsASteadyRise) {
  Values values;
  for (int i = 0; i < 100; i++) values.push_back(1 + 0.0009 * i);
  EXPECT_NEAR(drift(values), 0.06, 0.002);
}

}  // namespace
}  // namespace ecbench
