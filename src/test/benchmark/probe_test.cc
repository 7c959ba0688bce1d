// Tests the probe, a short speed test of the CPU, and the file that stores the best speed of each machine.

#include "benchmark/sampling/probe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST(ProbeReference, IsTheBestSpeedOfEachMachine) {
  const Folder folder;
  const fs::path file = folder / "state/ecbench/probe";
  EXPECT_EQ(read_reference(file, "a Zen 4"), ProbeSpeed());
  EXPECT_TRUE(store_reference(file, "a Zen 4", {.throughput = 16.5}));
  EXPECT_TRUE(store_reference(file, "a Zen 5", {.throughput = 12.25, .memory = 20}));
  EXPECT_TRUE(store_reference(file, "b Zen 4", {.throughput = 8, .memory = 10}));
  EXPECT_TRUE(store_reference(file, "a Zen 4", {.throughput = 8, .memory = 30}));
  EXPECT_EQ(read_reference(file, "a Zen 4"), (ProbeSpeed{.throughput = 16.5, .memory = 30}));
  EXPECT_EQ(read_reference(file, "a Zen 5"), (ProbeSpeed{.throughput = 12.25, .memory = 20}));
  EXPECT_EQ(read_reference(file, "b Zen 4"), (ProbeSpeed{.throughput = 8, .memory = 10}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "state/ecbench"), {}), 1) << "no temporary file is left";
}

TEST(ProbeReference, IsWrittenOnlyIfItBecomesNotablyFaster) {
  const Folder folder;
  const fs::path file = folder / "probe";
  EXPECT_FALSE(store_reference(file, "a", {})) << "there are too few probes";
  EXPECT_FALSE(fs::exists(file));
  store_reference(file, "a", {.throughput = 16});
  const std::string before = content_of(file);
  EXPECT_TRUE(store_reference(file, "a", {.throughput = 16.01}));
  EXPECT_EQ(content_of(file), before);
}

TEST(ProbeReference, ALargeFileIsReplacedWithoutBeingRead) {
  const Folder folder;
  const fs::path file = folder / "probe";
  ASSERT_TRUE(store_reference(file, "a", {.throughput = 15}));
  fs::resize_file(file, 65536);
  EXPECT_EQ(read_reference(file, "a").throughput, 15);
  fs::resize_file(file, 65537);
  EXPECT_EQ(read_reference(file, "a"), ProbeSpeed());
  EXPECT_TRUE(store_reference(file, "b", {.throughput = 16}));
  EXPECT_EQ(read_reference(file, "b").throughput, 16);
  EXPECT_LT(fs::file_size(file), 100u);
}

TEST(ProbeReference, IsAbsentIfTheFileHasOtherContentAndThisContentIsReplaced) {
  const Folder folder;
  const fs::path file = folder / "probe";
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

TEST(ProbeReference, IsAbsentIfTheFileIsNotRegular) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_reference(folder / "fifo", "a"), ProbeSpeed());
  fs::create_directory(folder / "probe");
  EXPECT_EQ(read_reference(folder / "probe", "a"), ProbeSpeed());
  EXPECT_FALSE(store_reference(folder / "probe", "a", {.throughput = 16}));
}

TEST(ProbeReference, ThatCannotBeStoredIsNoError) {
  const Folder folder;
  std::ofstream(folder / "file") << "no directory";
  EXPECT_FALSE(store_reference(folder / "file/ecbench/probe", "a", {.throughput = 16}));
  EXPECT_FALSE(store_reference("/proc/nowhere/probe", "a", {.throughput = 16}));
  EXPECT_FALSE(store_reference("", "a", {.throughput = 16}));
  EXPECT_EQ(read_reference("", "a"), ProbeSpeed());
}

TEST(ProbeReference, IsAlwaysCompleteWithManyWriters) {
  const Folder folder;
  const fs::path file = folder / "probe";
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

}  // namespace
}  // namespace ecbench
