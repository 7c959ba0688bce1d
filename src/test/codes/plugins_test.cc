// Codes that several threads use, and properties of single plugins.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"
#include "test/code_checks.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

TEST(Concurrency, OneInstanceServesTwoThreads) {
  each_technique([](const Profiled&, const ErasureCode& code) {
    if (code.chunk_count() <= 20) check_two_threads(code, std::min(2, code.coding_chunk_count()));
  });
}

TEST(Concurrency, TwoThreadsMakeCodes) {
  std::atomic<int> wrong = 0;
  const auto make_all = [&] {
    each_technique([&](const Profiled& profiled, const ErasureCode& code) {
      const std::string k = parsed_profile(profiled.parameters).text("k");
      wrong += k.empty() ? code.chunk_count() < 2 : std::to_string(code.data_chunk_count()) != k;
    });
  };
  std::thread other(make_all);
  make_all();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Isa, ChunksOfEverySizeAreEncoded) {
  for (const char* parameters : {"k=3 m=1", "k=3 m=3", "k=3 m=3 technique=cauchy"}) {
    const auto code = make_code("isa", parameters);
    for (const std::size_t chunk_size : {1, 15, 31, 33, 127}) {
      const ChunkSet chunks = encoded_chunks(*code, chunk_size);
      for (const Positions& erased : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
        check_decode(*code, chunks, erased, erased);
      }
    }
  }
}

std::vector<std::uint8_t> coding_bytes(const ErasureCode& code, std::span<const std::uint8_t> object) {
  const ChunkSet chunks = encoded(code, object);
  std::vector<std::uint8_t> bytes;
  for (const int position : code.coding_positions()) bytes.insert(bytes.end(), chunks[position].begin(), chunks[position].end());
  return bytes;
}

/// Reorders packets of `from` bytes to packets of `to` bytes: a bit-matrix code treats every byte of a packet in the same way. The
/// chunk size must be a multiple of w * `from` and of w * `to`.
std::vector<std::uint8_t> with_packets(std::span<const std::uint8_t> chunks, std::size_t w, std::size_t from, std::size_t to) {
  std::vector<std::uint8_t> reordered(chunks.size());
  const auto place = [&](std::size_t byte_of_packet, std::size_t packet, std::size_t packet_size) {
    return (byte_of_packet / packet_size * w + packet) * packet_size + byte_of_packet % packet_size;
  };
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const std::size_t packet = i / from % w;
    const std::size_t byte_of_packet = i / (from * w) * from + i % from;
    reordered[place(byte_of_packet, packet, to)] = chunks[i];
  }
  return reordered;
}

TEST(Jerasure, PacketSizesThatAreNotMultiplesOfAVectorEncodeLikeOtherSizes) {
  for (const std::string technique : {"cauchy_orig", "cauchy_good"}) {
    for (const std::size_t w : {4u, 7u, 8u}) {
      const std::string common = "technique=" + technique + " k=4 m=3 w=" + std::to_string(w) + " packetsize=";
      const auto reference = make_code("jerasure", common + "16");
      for (const std::size_t packet_size : {1u, 2u, 3u, 5u, 12u, 15u, 33u, 60u}) {
        const std::size_t chunk_size = w * packet_size * 16 * 16;
        const std::vector<std::uint8_t> object = random_object(4 * chunk_size);
        const auto code = make_code("jerasure", common + std::to_string(packet_size));
        ASSERT_EQ(code->chunk_size(object.size()), chunk_size);
        ASSERT_EQ(reference->chunk_size(object.size()), chunk_size);
        const std::vector<std::uint8_t> coding = coding_bytes(*code, object);
        EXPECT_EQ(with_packets(coding, w, packet_size, 16), coding_bytes(*reference, with_packets(object, w, packet_size, 16)))
            << common << packet_size;
      }
    }
  }
}

TEST(Jerasure, ChunkSizesOfTheLargestPacketsAndObjectDoNotOverflow) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  for (const auto& [parameters, block] : {std::pair("technique=reed_sol_van k=2 m=1", std::size_t{8}),
                                          {"technique=cauchy_good k=2 m=1 packetsize=268435455", std::size_t{8} * 268435455},
                                          {"technique=liberation k=2 w=257 packetsize=8355716", std::size_t{257} * 8355716}}) {
    const auto code = make_code("jerasure", parameters);
    EXPECT_EQ(code->chunk_size(1), 4 * block) << parameters;
    EXPECT_GT(code->chunk_size(largest), largest / 2) << parameters;
  }
}

TEST(Blocks, ChunksThatAreNotWholeBlocksAreRefused) {
  for (const auto& [plugin, parameters, chunk_size] : std::vector<std::tuple<std::string, std::string, std::size_t>>{
#ifdef ECBENCH_SIMD
           {"simd", "technique=cauchy_good k=2 m=2", 4096},
#endif
           {"jerasure", "technique=reed_sol_van k=2 m=2", 100},
           {"jerasure", "technique=reed_sol_r6_op k=2", 4},
           {"jerasure", "technique=cauchy_good k=2 m=2", 4096}}) {
    SCOPED_TRACE(plugin + " " + parameters);
    const auto code = make_code(plugin, parameters);
    ChunkSet chunks(4, chunk_size);
    EXPECT_THROW(encode(*code, chunks), Error);
    EXPECT_THROW(code->decode(*code->plan({0}, {0}), chunks.pointers(), chunk_size), Error);
  }
}

// conformance_test.cc has the reads after one loss.
TEST(Plans, AfterTwoLossesReadOnlyWhatTheWantedChunksNeed) {
  for (const auto& [plugin, parameters, erased, wanted, reads] :
       std::vector<std::tuple<std::string, std::string, Positions, Positions, Positions>>{
           {"isa", "k=4 m=3", {1, 4}, {1}, {0, 2, 3, 5}},
           {"jerasure", "technique=reed_sol_van k=4 m=3", {1, 4}, {1}, {0, 2, 3, 5}},
           {"jerasure", "technique=reed_sol_r6_op k=4", {1, 4}, {1}, {0, 2, 3, 5}},
           {"jerasure", "technique=cauchy_good k=4 m=3", {1, 4}, {1}, {0, 2, 3, 5}},
           {"replication", "size=4", {0, 2}, {0, 2}, {1}}}) {
    EXPECT_EQ(make_code(plugin, parameters)->plan(erased, wanted)->reads, reads) << plugin << " " << parameters;
  }
}

TEST(Replication, EveryChunkIsTheObject) {
  const auto code = make_code("replication", "size=3");
  EXPECT_EQ(code->data_chunk_count(), 1);
  EXPECT_EQ(code->coding_chunk_count(), 2);
  const std::vector<std::uint8_t> object = random_object(1001);
  const ChunkSet chunks = encoded(*code, object);
  for (const int position : all_positions(*code)) EXPECT_TRUE(std::ranges::equal(chunks[position], object));
}

// system/ceph_plugins_test.py compares the chunks with those of the other plugins.

struct CephPlugins : ContenderTest {
  CephPlugins() : ContenderTest("ceph") {}
};

TEST_F(CephPlugins, RecoversOrRefusesEveryLoss) {
  for (const auto& [parameters, recovers_all] :
       std::vector<std::pair<std::string, bool>>{{"plugin=jerasure technique=reed_sol_van k=4 m=3", true},
                                                 {"plugin=jerasure technique=liber8tion k=4 m=2 packetsize=64", true},
                                                 {"plugin=isa technique=cauchy k=4 m=3", true},
                                                 {"plugin=clay k=3 m=3 d=5", true},
                                                 {"plugin=shec k=4 m=3 c=2", false},
                                                 {"plugin=lrc k=4 m=2 l=3", false},
                                                 {"plugin=jerasure technique=blaum_roth k=4 m=2 w=7 packetsize=64", false}}) {
    EXPECT_EQ(check_all_erasures(*make_code("ceph", parameters), 10'000).empty(), recovers_all) << parameters;
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

// The first call of an instance of Ceph's clay allocates buffers for its chunk size, which only one thread at a time can use.
TEST_F(CephPlugins, ServesTwoThreadsWithChunksOfSeveralSizes) {
  for (const char* parameters : {"plugin=jerasure technique=reed_sol_van k=4 m=2", "plugin=clay k=4 m=2 d=5"}) {
    SCOPED_TRACE(parameters);
    check_two_threads(*make_code("ceph", parameters), 2);
  }
}

TEST_F(CephPlugins, RefusesWhatCephRefusesAndWhatCrashesCeph) {
  for (const auto& [parameters, reason] : std::vector<std::pair<std::string, std::string>>{
           {"k=4 m=2", "--parameter plugin=jerasure"},
           {"plugin=nope k=4 m=2", "libec_nope.so does not exist"},
           {"plugin=../isa k=4 m=2", "does not exist"},
           {"plugin=isa k=1 m=2", "k=1 must be >= 2"},
           {"plugin=isa k=4 m=0", "m=0 must be >= 1"},
           {"plugin=jerasure technique=none k=4 m=2", "technique=none is not a valid"},
           {"plugin=clay k=4 m=2 d=9", "d 9 must be within"},
           {"plugin=isa k=4 m=2 klocal=1", "no parameter klocal"},
           {"plugin=shec k=4 m=3 c=2 w=16", "ended by signal"},
           {"plugin=jerasure technique=cauchy_good k=4 m=2 packetsize=0", "ended by signal"}}) {
    const std::string refusal = refusal_of([&, &parameters = parameters] { make_code("ceph", parameters); });
    EXPECT_NE(refusal.find(reason), std::string::npos) << refusal;
  }
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

}  // namespace
}  // namespace ecbench::test
