// Two threads use the same instance of a code at the same time: they encode, make decode plans, and decode. In another test, two
// threads make codes at the same time.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "test/coded_object.h"

namespace ecbench::test {
namespace {

struct Profiled {
  std::string plugin;
  std::string parameters;
};

const std::vector<Profiled> profiles = {
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

/// Each thread calls this function. In each round, it encodes the object, decodes every loss of one or two chunks, and repairs
/// every chunk if the code has repair(). Adds the number of wrong chunks to `wrong`.
void work(const ErasureCode& code, std::span<const std::uint8_t> object, const ChunkSet& truth, std::atomic<int>& wrong) {
  const int rounds = truth.chunk_size() < 100'000 ? 20 : 2;
  for (int round = 0; round < rounds; round++) {
    ChunkSet chunks = encoded(code, object);
    const auto count_wrong = [&] {
      for (const int position : all_positions(code)) wrong += !std::ranges::equal(chunks[position], truth[position]);
    };
    count_wrong();
    for (const Positions& erased : erasure_patterns(code.chunk_count(), 2)) {
      for (const int position : erased) std::ranges::fill(chunks[position], std::uint8_t{0});
      code.decode(*code.plan(erased, erased), chunks.pointers(), chunks.chunk_size());
    }
    count_wrong();
    for (int lost = 0; code.repair() != nullptr && lost < code.chunk_count(); lost++) checked_reads(code, truth, lost);
  }
}

void expect_right_bytes_in_two_threads(const Profiled& profiled) {
  SCOPED_TRACE(profiled.plugin + " " + profiled.parameters);
  const auto code = make_code(profiled.plugin, profiled.parameters);
  const std::vector<std::uint8_t> object = random_object(60000);
  const ChunkSet truth = encoded(*code, object);
  std::atomic<int> wrong = 0;
  std::thread other([&] { work(*code, object, truth, wrong); });
  work(*code, object, truth, wrong);
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Concurrency, OneInstanceServesTwoThreads) {
  for (const Profiled& profiled : profiles) expect_right_bytes_in_two_threads(profiled);
}

// Without SSSE3, GF-Complete has only one table for the Galois field GF(2^32), and all threads share this table. GF-Complete reads
// the environment variable GF_COMPLETE_DISABLE_SSSE3 when the process sets up its first field. Therefore, this test must run in its
// own process. ctest runs each test in its own process.
TEST(Concurrency, OneInstanceServesTwoThreadsWithoutSsse3) {
  setenv("GF_COMPLETE_DISABLE_SSSE3", "1", 1);
  for (const Profiled& profiled : profiles) {
    if (profiled.plugin != "isa") expect_right_bytes_in_two_threads(profiled);
  }
  unsetenv("GF_COMPLETE_DISABLE_SSSE3");
}

TEST(Concurrency, TwoThreadsMakeCodes) {
  std::atomic<int> wrong = 0;
  const auto make_all = [&] {
    for (const Profiled& profiled : profiles) wrong += make_code(profiled.plugin, profiled.parameters)->data_chunk_count() != 6;
  };
  std::thread other(make_all);
  make_all();
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ecbench::test
