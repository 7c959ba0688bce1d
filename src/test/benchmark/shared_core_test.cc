#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <random>

#include "benchmark/sampling/samples.h"
#include "shared_machine.h"
#include "test/temporary.h"

namespace ecbench {
namespace {

const ProbeSpeed earlier{.throughput = 16};                                             // of SharedMachine if the core is free
const SharedCore half{.throughput = 8, .seconds = 2};                                   // if slowdown() is 2
const Sampling usual{};                                                                 // of the command line
const Sampling brief{.min_seconds = 0.01, .max_seconds = 10, .patience_seconds = 0.5};  // of tune

TEST(SharedCore, ThatIsSharedAllTheTimeEndsThePatienceAfterTwoSecondsOfSamples) {
  SharedMachine machine{.slowdown = [](double) { return 2.0; }};
  const Sampled sampled = machine.sample(usual, earlier);
  EXPECT_GT(machine.clock, 2);
  EXPECT_LT(machine.clock, 4);
  EXPECT_DOUBLE_EQ(sampled.shared_core.throughput, 8);
  EXPECT_GE(sampled.shared_core.seconds, 2);
  EXPECT_TRUE(enough_clean(sampled.samples)) << "compared with the state";
  EXPECT_NEAR(figure_of(sampled), 2e-6, 5e-8);
}

TEST(SharedCore, IsFoundBySeveralShortMeasurementsAndThenTakesNoMoreTime) {
  SharedMachine machine{.slowdown = [](double clock) { return std::fmod(clock, 0.01) < 0.005 ? 2.0 : 1.9; }};
  SharedCore before;
  int found_after = 0;
  for (; !before.is_state() && found_after < 20; found_after++) {
    const Sampled sampled = machine.sample(brief, earlier, {}, before);
    EXPECT_EQ(sampled.shared_core.is_state(), enough_clean(sampled.samples));
    before = sampled.shared_core;
  }
  EXPECT_GE(found_after, 4);
  EXPECT_LT(found_after, 10);
  const double begin = machine.clock;
  const Sampled sampled = machine.sample(brief, earlier, {}, before);
  EXPECT_LT(machine.clock - begin, 0.1) << "the patience is 0.5 s";
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_EQ(sampled.shared_core.throughput, before.throughput);
}

TEST(SharedCore, ThatIsFreeAfterASecondIsWaitedFor) {
  SharedMachine machine{.slowdown = [](double clock) { return clock < 1 ? 2.0 : 1.0; }};
  const Sampled sampled = machine.sample(usual, earlier);
  EXPECT_FALSE(sampled.shared_core.is_state());
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8);
}

TEST(SharedCore, ThatIsSharedForTheFirstHalfOfThePatienceIsNamed) {
  SharedMachine machine{.slowdown = [](double clock) { return clock < 5 ? 2.0 : 1.0; }};
  EXPECT_TRUE(machine.sample(usual, earlier).shared_core.is_state()) << "the row has a warning";
}

TEST(SharedCore, ABusyLoopOnTheSameCpuIsNoState) {
  for (const double begin : {0.0, 0.03, 1.0}) {
    const auto has_cpu = [=](double clock) { return clock < begin || std::fmod(clock, 0.008) < 0.004; };
    SharedMachine machine{.has_cpu = has_cpu};
    const Sampled sampled = machine.sample(usual, earlier);
    EXPECT_FALSE(sampled.shared_core.is_state()) << begin;
    EXPECT_NEAR(figure_of(sampled), 1e-6, 5e-8) << begin;
    SharedMachine slow_calls{.iteration_seconds = 0.02, .has_cpu = has_cpu};
    const Sampled of_slow_calls = slow_calls.sample({.max_seconds = 5, .patience_seconds = 5}, earlier);
    EXPECT_FALSE(of_slow_calls.shared_core.is_state()) << begin;
    EXPECT_EQ(enough_clean(of_slow_calls.samples), begin == 1.0);
  }
}

TEST(SharedCore, ABusyLoopOnTheSameCpuIsDetectedInTheState) {
  SharedMachine machine{.iteration_seconds = 0.01,
                        .has_cpu = [](double clock) { return std::fmod(clock, 0.008) < 0.004; },
                        .slowdown = [](double) { return 2.0; }};
  const Sampled sampled = machine.sample(brief, earlier, {}, half);
  EXPECT_GE(machine.clock, 0.5);
  EXPECT_FALSE(enough_clean(sampled.samples));
  EXPECT_EQ(clean_count(sampled.samples), 0U);
}

TEST(SharedCore, ASiblingThatComesAndGoesIsNoState) {
  for (const double period : {0.1, 0.5, 2.0, 3.0}) {
    SharedMachine machine{.slowdown = [=](double clock) { return std::fmod(clock, period) < period / 2 ? 2.0 : 1.0; }};
    const Sampled sampled = machine.sample(usual, earlier);
    EXPECT_FALSE(sampled.shared_core.is_state()) << period;
    EXPECT_EQ(sampled.shared_core.throughput, 0) << period;
    EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8) << period;
  }
}

TEST(SharedCore, EndsWhenTheSiblingIsIdle) {
  SharedMachine machine;
  const Sampled sampled = machine.sample(brief, earlier, {}, half);
  EXPECT_FALSE(sampled.shared_core.is_state());
  EXPECT_EQ(clean_count(sampled.samples), sampled.samples.size());
}

TEST(SharedCore, ASlowerOrFasterCoreIsAnotherState) {
  for (const double slowdown : {4.0, 2.3, 1.7, 1.3}) {
    SharedMachine machine{.slowdown = [=](double) { return slowdown; }};
    const Sampled sampled = machine.sample(brief, earlier, {}, half);
    EXPECT_FALSE(sampled.shared_core.is_state()) << slowdown;
    EXPECT_FALSE(enough_clean(sampled.samples)) << slowdown;
  }
}

// A sibling with pauses and busy times of random length, and a series of short measurements that pass on what they find.
TEST(SharedCore, NoFigureIsWrongWithoutAMark) {
  std::mt19937_64 engine(1);
  int clean = 0;
  int in_state = 0;
  for (const double busy_seconds : {0.02, 0.3, 5.0}) {
    for (const double pause_seconds : {0.02, 0.3, 5.0}) {
      double change = 0;
      bool is_busy = false;
      SharedMachine machine{.slowdown = [&](double clock) {
        while (clock >= change) {
          is_busy = !is_busy;
          change += std::exponential_distribution(1 / (is_busy ? busy_seconds : pause_seconds))(engine);
        }
        return is_busy ? 2.0 : 1.0;
      }};
      SharedCore before;
      for (int i = 0; i < 40; i++) {
        const Sampled sampled = machine.sample(brief, earlier, {}, before);
        before = sampled.shared_core;
        if (!enough_clean(sampled.samples)) continue;
        (sampled.shared_core.is_state() ? in_state : clean)++;
        EXPECT_NEAR(figure_of(sampled), sampled.shared_core.is_state() ? 2e-6 : 1e-6, 1e-7) << busy_seconds << ' ' << pause_seconds;
      }
    }
  }
  EXPECT_GT(clean, 200);
  EXPECT_GT(in_state, 3);
}

class SharedCoreFile : public testing::Test {
 protected:
  void write(double age_seconds, const std::string& line) const {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    std::ofstream(file_, std::ios::app) << std::fixed << now - age_seconds << ' ' << line << '\n';
  }

  test::TemporaryFolder folder_;
  std::string file_ = folder_ / "shared core";
};

TEST(SharedCore, AddsUpTheProcesses) {
  const SharedCore one{8, 1.5};
  EXPECT_FALSE(one.is_state());
  const SharedCore two = continued(one, {8.5, 0.75});
  EXPECT_TRUE(two.is_state());
  EXPECT_DOUBLE_EQ(two.throughput, 8.5);
  EXPECT_DOUBLE_EQ(continued(two, {9, 1}).throughput, 8.5) << "a state does not change";
  EXPECT_EQ(continued(two, {}).throughput, 0);
  EXPECT_DOUBLE_EQ(continued({}, one).seconds, 1.5);
  EXPECT_DOUBLE_EQ(continued(one, {6, 3}).throughput, 6);
  EXPECT_DOUBLE_EQ(continued(one, {6, 3}).seconds, 3);
}

TEST_F(SharedCoreFile, HasWhatTheLastProcessStored) {
  EXPECT_EQ(read_shared_core(file_).seconds, 0) << "there is no file";
  store_shared_core(file_, {8, 1.5});
  write(0, "0.5 12345678");
  EXPECT_DOUBLE_EQ(read_shared_core(file_).seconds, 1.5);
  store_shared_core(file_, {8.5, 2.25});
  EXPECT_TRUE(read_shared_core(file_).is_state());
  EXPECT_DOUBLE_EQ(read_shared_core(file_).throughput, 8.5);
  store_shared_core(file_, {});
  EXPECT_EQ(read_shared_core(file_).throughput, 0);
}

TEST_F(SharedCoreFile, ForgetsAStateAfterHalfAMinute) {
  write(70, "8 shared_core 5");
  EXPECT_FALSE(read_shared_core(file_).is_state());
  write(20, "8 shared_core 2.5");
  EXPECT_TRUE(read_shared_core(file_).is_state());
  write(-100, "8 shared_core 5");
  EXPECT_FALSE(read_shared_core(file_).is_state()) << "of the time before a restart of the machine";
}

}  // namespace
}  // namespace ecbench
