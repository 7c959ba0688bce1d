// The probe, a short speed test of the CPU; the file that stores the best speed of each machine; and a core that is shared all the
// time.

#include "benchmark/sampling/probe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "benchmark/sampling/samples.h"
#include "shared_machine.h"
#include "test/temporary.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using Folder = test::TemporaryFolder;
using Variable = test::EnvironmentVariable;

#if defined(__x86_64__)
TEST(Probe, HasASpeedOfMemoryOnlyIfItIsRequested) {
  Probe bare(false);
  const ProbeSpeed speed = bare.run();
  // Upper bounds are not tested. The speed is a ratio of the times of two loops, so it can be very high if one loop is preempted.
  EXPECT_GT(speed.throughput, 0);
  EXPECT_EQ(speed.memory, 0);
  EXPECT_GT(Probe(true).run().memory, 0);
}
#endif

TEST(ProbeReference, IsInTheStateFolderOfTheUser) {
  const Variable home("HOME", "/home/jo");
  {
    const Variable state("XDG_STATE_HOME", "/var/state");
    EXPECT_EQ(reference_file(), "/var/state/ecbench/probe");
  }
  for (const char* value : {static_cast<const char*>(nullptr), "", "relative"}) {
    const Variable state("XDG_STATE_HOME", value);
    EXPECT_EQ(reference_file(), "/home/jo/.local/state/ecbench/probe");
    const Variable homeless("HOME", value);
    EXPECT_EQ(reference_file(), "");
  }
}

struct ProbeFile : testing::Test {
  Folder folder;
  fs::path file = folder / "probe";
};

TEST_F(ProbeFile, IsTheBestSpeedOfEachMachine) {
  file = folder / "state/ecbench/probe";
  EXPECT_EQ(read_reference(file, "a Zen 4"), ProbeSpeed());
  EXPECT_TRUE(store_reference(file, "a Zen 4", {.throughput = 16.5}));
  EXPECT_TRUE(store_reference(file, "a Zen 5", {.throughput = 12.25, .memory = 20}));
  EXPECT_TRUE(store_reference(file, "b Zen 4", {.throughput = 8, .memory = 10}));
  EXPECT_TRUE(store_reference(file, "a Zen 4", {.throughput = 8, .memory = 30}));
  EXPECT_EQ(read_reference(file, "a Zen 4"), (ProbeSpeed{.throughput = 16.5, .memory = 30}));
  EXPECT_EQ(read_reference(file, "a Zen 5"), (ProbeSpeed{.throughput = 12.25, .memory = 20}));
  EXPECT_EQ(read_reference(file, "b Zen 4"), (ProbeSpeed{.throughput = 8, .memory = 10}));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1) << "no temporary file is left";
}

TEST_F(ProbeFile, IsWrittenOnlyIfItBecomesNotablyFaster) {
  EXPECT_FALSE(store_reference(file, "a", {})) << "there are too few probes";
  EXPECT_FALSE(fs::exists(file));
  store_reference(file, "a", {.throughput = 16});
  const std::string before = content_of(file);
  EXPECT_TRUE(store_reference(file, "a", {.throughput = 16.01}));
  EXPECT_EQ(content_of(file), before);
}

TEST_F(ProbeFile, ALargeFileIsReplacedWithoutBeingRead) {
  ASSERT_TRUE(store_reference(file, "a", {.throughput = 15}));
  fs::resize_file(file, 65536);
  EXPECT_EQ(read_reference(file, "a").throughput, 15);
  fs::resize_file(file, 65537);
  EXPECT_EQ(read_reference(file, "a"), ProbeSpeed());
  EXPECT_TRUE(store_reference(file, "b", {.throughput = 16}));
  EXPECT_EQ(read_reference(file, "b").throughput, 16);
  EXPECT_LT(fs::file_size(file), 100u);
}

TEST_F(ProbeFile, IsAbsentIfTheFileHasOtherContentAndThisContentIsReplaced) {
  for (const char* text : {"", "\n", "no reference", "ecbench probe 0\n16 20 a\n", "ecbench probe 1\n16\n",
                           "ecbench probe 1\n16 20\n", "ecbench probe 1\nnan 20 a\n", "ecbench probe 1\n-16 20 a\n",
                           "ecbench probe 1\n1e9 20 a\n", "ecbench probe 1\n\xff\xfe 20 a\n"}) {
    std::ofstream(file, std::ios::trunc) << text;
    EXPECT_EQ(read_reference(file, "a"), ProbeSpeed()) << text;
    EXPECT_TRUE(store_reference(file, "a", {.throughput = 16})) << text;
    EXPECT_EQ(read_reference(file, "a").throughput, 16) << text;
  }
  std::ofstream(file, std::ios::trunc) << "ecbench probe 1\nrubbish\n15 0 a\n";
  EXPECT_EQ(read_reference(file, "a").throughput, 15) << "valid lines are still read";
}

TEST(ProbeReference, IsAbsentIfTheFileIsNotRegularOrCannotBeStored) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_reference(folder / "fifo", "a"), ProbeSpeed());
  fs::create_directory(folder / "directory");
  std::ofstream(folder / "file") << "no directory";
  for (const std::string& file : {(folder / "directory").string(), (folder / "file/ecbench/probe").string(),
                                  std::string("/proc/nowhere/probe"), std::string()}) {
    EXPECT_EQ(read_reference(file, "a"), ProbeSpeed()) << file;
    EXPECT_FALSE(store_reference(file, "a", {.throughput = 16})) << file;
  }
}

TEST_F(ProbeFile, IsAlwaysCompleteWithManyWriters) {
  store_reference(file, "a", {.throughput = 1});
  std::vector<pid_t> writers(4);
  for (pid_t& writer : writers) {
    writer = fork();
    if (writer != 0) continue;
    for (int i = 1; i < 50; i++) store_reference(file, "a", {.throughput = i * 1.0});
    _exit(0);
  }
  for (int i = 0; i < 200; i++) EXPECT_GE(read_reference(file, "a").throughput, 1);
  for (const pid_t writer : writers) waitpid(writer, nullptr, 0);
  EXPECT_GE(read_reference(file, "a").throughput, 1);
}

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

TEST(SharedCore, ThatIsFreeAfterASecondIsWaitedForButNamedIfItIsSharedForTheFirstHalfOfThePatience) {
  SharedMachine machine{.slowdown = [](double clock) { return clock < 1 ? 2.0 : 1.0; }};
  const Sampled sampled = machine.sample(usual, earlier);
  EXPECT_FALSE(sampled.shared_core.is_state());
  EXPECT_TRUE(enough_clean(sampled.samples));
  EXPECT_NEAR(figure_of(sampled), 1e-6, 3e-8);
  SharedMachine longer{.slowdown = [](double clock) { return clock < 5 ? 2.0 : 1.0; }};
  EXPECT_TRUE(longer.sample(usual, earlier).shared_core.is_state()) << "the row has a warning";
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

TEST(SharedCore, EndsWhenTheSiblingIsIdleOrTheCoreIsSlowerOrFaster) {
  for (const double slowdown : {4.0, 2.3, 1.7, 1.3, 1.0}) {
    SharedMachine machine{.slowdown = [=](double) { return slowdown; }};
    const Sampled sampled = machine.sample(brief, earlier, {}, half);
    EXPECT_FALSE(sampled.shared_core.is_state()) << slowdown;
    EXPECT_EQ(clean_count(sampled.samples) == sampled.samples.size(), slowdown == 1.0) << slowdown;
    EXPECT_EQ(enough_clean(sampled.samples), slowdown == 1.0) << slowdown;
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

TEST(SharedCoreFile, HasWhatTheLastProcessStoredAndForgetsAStateAfterHalfAMinute) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "shared core";
  const auto write = [&](double age_seconds, const std::string& line) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    std::ofstream(file, std::ios::app) << std::fixed << now - age_seconds << ' ' << line << '\n';
  };
  EXPECT_EQ(read_shared_core(file).seconds, 0) << "there is no file";
  write(70, "8 shared_core 5");
  EXPECT_FALSE(read_shared_core(file).is_state());
  write(20, "8 shared_core 2.5");
  EXPECT_TRUE(read_shared_core(file).is_state());
  write(-100, "8 shared_core 5");
  EXPECT_FALSE(read_shared_core(file).is_state()) << "of the time before a restart of the machine";
  store_shared_core(file, {8, 1.5});
  write(0, "0.5 12345678");
  EXPECT_DOUBLE_EQ(read_shared_core(file).seconds, 1.5);
  store_shared_core(file, {8.5, 2.25});
  EXPECT_TRUE(read_shared_core(file).is_state());
  EXPECT_DOUBLE_EQ(read_shared_core(file).throughput, 8.5);
  store_shared_core(file, {});
  EXPECT_EQ(read_shared_core(file).throughput, 0);
}

}  // namespace
}  // namespace ecbench
