// Codes that several threads use.

#include <gtest/gtest.h>

#include <atomic>
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

TEST(Concurrency, OneInstanceServesTwoThreads) {
  for (const auto& [plugin, parameters] : shared_profiles) {
    SCOPED_TRACE(plugin + " " + parameters);
    check_two_threads(*make_code(plugin, parameters), 2);
  }
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

TEST(Threads, AreGivenToEachCodeWithARuntime) {
  Registry with_runtime(faulty_plugin_directory(), [](const std::string&) {});
  for (const int threads : {1, 3, 5}) {
    Profile profile;
    const auto code = with_runtime.make("runtime", profile, {.threads = threads});
    EXPECT_EQ(info_of(*code).kernel(), "made for " + std::to_string(threads) + " threads");
  }
  EXPECT_EQ(Limits{}.threads, 1);
  EXPECT_EQ(with_runtime.plugin_with_runtime(), "runtime");
  Registry plain(plugin_directory(), [](const std::string&) {});
  Profile profile({{"k", "4"}, {"m", "2"}});
  EXPECT_EQ(plain.make("isa", profile, {.threads = 2})->chunk_count(), 6);
  EXPECT_EQ(plain.plugin_with_runtime(), "");
}

}  // namespace
}  // namespace ecbench::test
