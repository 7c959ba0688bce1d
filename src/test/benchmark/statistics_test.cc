#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "benchmark/sampling/samples.h"
#include "test/directories.h"

namespace ecbench {
namespace {

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

TEST(Median, IsTheMiddleOrHalfwayBetweenTheTwoMiddleValues) {
  EXPECT_EQ(median(Values{5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5, 6}), 5.5);
}

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(median_absolute_deviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(median_absolute_deviation(Values{4, 4, 4}), 0);
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
