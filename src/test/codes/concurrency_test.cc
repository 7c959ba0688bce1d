// Two threads use the same instance of a code at the same time: they encode, make decode plans, and decode. In another test, two
// threads make codes at the same time.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "test/code_checks.h"

namespace ecbench::test {
namespace {

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

}  // namespace
}  // namespace ecbench::test
