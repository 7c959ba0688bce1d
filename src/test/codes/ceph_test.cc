// Tests the plugin ceph, which runs the plugins of an installed Ceph. src/test/system/ceph_plugins_test.py compares the chunks that
// Ceph's plugins encode with the chunks that ecbench's own plugins encode.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "test/code_checks.h"
#include "test/coded_object.h"
#include "test/contender_checks.h"

namespace ecbench::test {
namespace {

class CephPlugins : public ContenderTest {
 protected:
  CephPlugins() : ContenderTest("ceph", "librados-dev, libradospp-dev and ceph-base") {}

  static void expect_refusal(const std::string& parameters, const std::string& reason) {
    const std::string refusal = refusal_of("ceph", parameters);
    EXPECT_NE(refusal.find(reason), std::string::npos) << refusal;
  }
};

TEST_F(CephPlugins, RecoversOrRefusesEveryLoss) {
  for (const char* parameters :
       {"plugin=jerasure technique=reed_sol_van k=4 m=3", "plugin=jerasure technique=liber8tion k=4 m=2 packetsize=64",
        "plugin=isa technique=cauchy k=4 m=3", "plugin=clay k=3 m=3 d=5"}) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code("ceph", parameters), 10'000), std::vector<Positions>()) << "refused";
  }
  for (const char* parameters :
       {"plugin=shec k=4 m=3 c=2", "plugin=lrc k=4 m=2 l=3", "plugin=jerasure technique=blaum_roth k=4 m=2 w=7 packetsize=64"}) {
    SCOPED_TRACE(parameters);
    EXPECT_NE(check_all_erasures(*make_code("ceph", parameters), 10'000), std::vector<Positions>()) << "no loss was refused";
  }
}

TEST_F(CephPlugins, RebuildsOnlyWantedChunks) {
  for (const char* parameters :
       {"plugin=jerasure technique=reed_sol_van k=4 m=3", "plugin=isa technique=cauchy k=4 m=3", "plugin=clay k=4 m=2 d=5"}) {
    SCOPED_TRACE(parameters);
    check_partial_wishes(*make_code("ceph", parameters));
  }
}

TEST_F(CephPlugins, UpdatesTheCodingChunks) {
  if (make_code("ceph", "plugin=isa k=4 m=2")->parity_delta() == nullptr) GTEST_SKIP() << "only Ceph 20.2 has a parity delta";
  for (const char* parameters :
       {"plugin=isa k=4 m=1", "plugin=isa technique=cauchy k=4 m=3", "plugin=jerasure technique=reed_sol_van k=4 m=3 w=16",
        "plugin=jerasure technique=reed_sol_r6_op k=4 m=2", "plugin=jerasure technique=cauchy_good k=4 m=3 packetsize=64",
        "plugin=jerasure technique=liberation k=4 m=2 w=7 packetsize=64", "plugin=shec k=4 m=3 c=2"}) {
    SCOPED_TRACE(parameters);
    check_parity_delta(*make_code("ceph", parameters), 4);
  }
  for (const char* parameters : {"plugin=clay k=4 m=2 d=5", "plugin=lrc k=4 m=2 l=3"}) {
    EXPECT_EQ(make_code("ceph", parameters)->parity_delta(), nullptr) << parameters;
  }
}

// When an instance of Ceph's clay is called for the first time, it allocates buffers for the chunk size of this call. Only one
// thread at a time can use these buffers.
TEST_F(CephPlugins, ServesTwoThreadsWithChunksOfSeveralSizes) {
  for (const char* parameters : {"plugin=jerasure technique=reed_sol_van k=4 m=2", "plugin=clay k=4 m=2 d=5"}) {
    SCOPED_TRACE(parameters);
    check_two_threads(*make_code("ceph", parameters));
  }
}

TEST_F(CephPlugins, NamesItsPluginAndRelease) {
  const std::string kernel = info_of(*make_code("ceph", "plugin=isa k=4 m=2")).kernel();
  EXPECT_NE(kernel.find("isa of Ceph "), std::string::npos) << kernel;
}

TEST_F(CephPlugins, RefusesWhatCephRefuses) {
  expect_refusal("k=4 m=2", "--parameter plugin=jerasure");
  expect_refusal("plugin=nope k=4 m=2", "libec_nope.so does not exist");
  expect_refusal("plugin=../isa k=4 m=2", "does not exist");
  expect_refusal("plugin=isa k=1 m=2", "k=1 must be >= 2");
  expect_refusal("plugin=isa k=4 m=0", "m=0 must be >= 1");
  expect_refusal("plugin=jerasure technique=none k=4 m=2", "technique=none is not a valid");
  expect_refusal("plugin=clay k=4 m=2 d=9", "d 9 must be within");
  expect_refusal("plugin=isa k=4 m=2 klocal=1", "no parameter klocal");
}

TEST_F(CephPlugins, RefusesWhatCrashesCeph) {
  expect_refusal("plugin=shec k=4 m=3 c=2 w=16", "ended by signal");
  expect_refusal("plugin=jerasure technique=cauchy_good k=4 m=2 packetsize=0", "ended by signal");
  const auto code = make_code("ceph", "plugin=jerasure technique=reed_sol_van k=4 m=2 jerasure-per-chunk-alignment=true");
  EXPECT_THROW(code->chunk_size(1), Error);
  EXPECT_THROW(code->chunk_size(std::size_t{1} << 32), Error);
  EXPECT_EQ(code->chunk_size(512), 128U);
}

// With sub-chunks of 96 bytes, clay of Ceph 20.2 encodes wrong bytes, because it aligns buffers to 64 bytes.
TEST_F(CephPlugins, ClayEncodesCorrectlyOrRefusesTheSize) {
  const auto clay = make_code("ceph", "plugin=clay k=4 m=2 d=5");
  EXPECT_EQ(check_all_erasures(*clay, 4096), std::vector<Positions>());
  try {
    EXPECT_EQ(check_all_erasures(*clay, 3072), std::vector<Positions>());
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("give an object of 4096 bytes"), std::string::npos) << error.what();
  }
}

TEST_F(CephPlugins, DoesNotReportACrashIfThereIsNoTestProcess) {
  make_code("ceph", "plugin=isa k=4 m=2");  // loads all libraries
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int lowest_free = dup(STDERR_FILENO);
  ASSERT_GE(lowest_free, 0);
  close(lowest_free);
  // One file descriptor is free. It is enough to read the plugin's file, but the pipe to the test process needs two.
  const rlimit one_file{static_cast<rlim_t>(lowest_free) + 1, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one_file), 0);
  const std::string refusal = refusal_of("ceph", "plugin=isa k=4 m=2");
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(refusal, "Ceph's plugin isa could not be tested: pipe2() failed: Too many open files");
}

}  // namespace
}  // namespace ecbench::test
