// Codes that several threads use.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/registry.h"
#include "test/code_checks.h"
#include "test/directories.h"

namespace ecbench::test {
namespace {

// Two threads use the same instance of a code at the same time: they encode, make decode plans, and decode. In another test, two
// threads make codes at the same time.

const std::vector<Profiled> shared_profiles = {
    {"jerasure", "technique=reed_sol_van k=6 m=3"},
    {"jerasure", "technique=reed_sol_van k=6 m=3 w=16"},
    {"jerasure", "technique=reed_sol_van k=6 m=3 w=32"},
    {"jerasure", "technique=reed_sol_r6_op k=6"},
    {"jerasure", "technique=reed_sol_r6_op k=6 w=32"},
    {"jerasure", "technique=cauchy_good k=6 m=3 packetsize=64"},
    {"jerasure", "technique=liberation k=6 packetsize=64"},
    {"isa", "k=6 m=3"},
    {"isa", "technique=cauchy k=6 m=3"},
    {"shec", "k=6 m=4 c=3"},
    {"shec", "k=6 m=4 c=2 w=16"},
    {"shec", "technique=single k=6 m=3 c=2 w=32"},
    {"shec", "k=6 m=4 c=2 backend=isa"},
    {"lrc", "k=6 m=2 l=4"},
    {"lrc", "k=6 m=2 l=4 backend=isa"},
    {"lrc", R"(mapping=DDDDDD___ layers=[["DDDDDDcc_","technique=cauchy_good,packetsize=64"],["DDD_____c","plugin=isa"]])"},
    {"clay", "k=6 m=3 d=8"},
    {"clay", "k=6 m=2 d=7 scalar_mds=isa"},
    {"clay", "k=6 m=2 d=7 technique=liber8tion"},
#ifdef ECBENCH_SIMD
    {"simd", "k=6 m=3"},
    {"simd", "technique=cauchy k=6 m=3 store=streaming"},
    {"simd", "technique=leopard_gf8 k=6 m=3 transform=fft"},
    {"shec", "k=6 m=4 c=2 backend=simd"},
    {"lrc", "k=6 m=2 l=4 backend=simd"},
    {"clay", "k=6 m=3 d=8 backend=simd"},
#endif
};

void expect_right_bytes_in_two_threads(const Profiled& profiled) {
  SCOPED_TRACE(profiled.plugin + " " + profiled.parameters);
  check_two_threads(*make_code(profiled.plugin, profiled.parameters), 2);
}

TEST(Concurrency, OneInstanceServesTwoThreads) {
  for (const Profiled& profiled : shared_profiles) expect_right_bytes_in_two_threads(profiled);
}

TEST(Concurrency, TwoThreadsMakeCodes) {
  std::atomic<int> wrong = 0;
  const auto make_all = [&] {
    for (const Profiled& profiled : shared_profiles)
      wrong += make_code(profiled.plugin, profiled.parameters)->data_chunk_count() != 6;
  };
  std::thread other(make_all);
  make_all();
  other.join();
  EXPECT_EQ(wrong, 0);
}

// Tests Limits::threads, the number of threads that will call an erasure code at the same time. A plugin that contains the runtime
// of another language gets this number when it makes the erasure code. A plugin without such a runtime ignores the number.

class Threads : public testing::Test {
 protected:
  std::string kernel(const Limits& limits) {
    Profile profile;
    return info_of(*registry_.make("runtime", profile, limits)).kernel();
  }

  Registry registry_{faulty_plugin_directory(), [](const std::string&) {}};
};

TEST_F(Threads, AreOneByDefault) { EXPECT_EQ(kernel({}), "made for 1 threads"); }

TEST_F(Threads, AreGivenToEachCode) {
  EXPECT_EQ(kernel({.threads = 3}), "made for 3 threads");
  EXPECT_EQ(kernel({.threads = 5}), "made for 5 threads");
  EXPECT_EQ(registry_.plugin_with_runtime(), "runtime");
}

TEST_F(Threads, AreIgnoredWithoutARuntime) {
  Registry plain(plugin_directory(), [](const std::string&) {});
  Profile profile({{"k", "4"}, {"m", "2"}});
  EXPECT_EQ(plain.make("isa", profile, {.threads = 2})->chunk_count(), 6);
  EXPECT_EQ(plain.plugin_with_runtime(), "");
}

}  // namespace
}  // namespace ecbench::test
