// Tests the codes of plugin jerasure. conformance_test.cc also tests these codes: it compares their chunks with chunks that Ceph
// encoded.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "erasure_code/error.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

std::vector<std::uint8_t> coding_bytes(const ErasureCode& code, std::span<const std::uint8_t> object) {
  const ChunkSet chunks = encoded(code, object);
  std::vector<std::uint8_t> bytes;
  for (const int position : code.coding_positions()) bytes.insert(bytes.end(), chunks[position].begin(), chunks[position].end());
  return bytes;
}

/// Reorders the bytes of `chunks`: `chunks` has packets of `from` bytes, and the result has packets of `to` bytes. This is possible
/// because a bit-matrix code treats every byte of a packet in the same way. The chunk size must be a multiple of w * `from` and of
/// w * `to`.
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

TEST(Jerasure, ReedSolR6OpIsTheVandermondeMatrixOfIsa) {
  const std::vector<std::uint8_t> object = random_object(7 * 4096);
  EXPECT_EQ(coding_bytes(*make_code("jerasure", "technique=reed_sol_r6_op k=7"), object),
            coding_bytes(*make_code("isa", "technique=reed_sol_van k=7 m=2"), object));
}

TEST(Jerasure, ChunksArePaddedToTheObjectsAlignment) {
  const auto chunk_size = [](const std::string& parameters, std::size_t object_size) {
    return make_code("jerasure", parameters)->chunk_size(object_size);
  };
  EXPECT_EQ(chunk_size("technique=reed_sol_van k=4 m=2", 1), 32u);
  EXPECT_EQ(chunk_size("technique=reed_sol_van k=4 m=2", 129), 64u);
  EXPECT_EQ(chunk_size("technique=reed_sol_van k=4 m=2 w=32", 1), 128u);
  EXPECT_EQ(chunk_size("technique=cauchy_good k=4 m=2", 4096), 65536u) << "packetsize=2048 pads a small object to 256 KiB";
  EXPECT_EQ(chunk_size("technique=cauchy_good k=4 m=2 jerasure-per-chunk-alignment=true", 4096), 16384u);
  EXPECT_EQ(chunk_size("technique=cauchy_good k=4 m=2 w=7 packetsize=3", 1), 7u * 3 * 16);
  EXPECT_EQ(chunk_size("technique=liber8tion k=2 packetsize=8", 1), 8u * 8 * 4);
}

TEST(Jerasure, ChunkSizesOfTheLargestObjectDoNotWrapAround) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  for (const char* parameters : {"technique=reed_sol_van k=2 m=1", "technique=cauchy_good k=2 m=1 packetsize=268435455",
                                 "technique=liberation k=2 w=257 packetsize=8355716"}) {
    EXPECT_GT(make_code("jerasure", parameters)->chunk_size(largest), largest / 2) << parameters;
  }
}

TEST(Jerasure, ChunksThatAreNotWholeBlocksAreRefused) {
  for (const auto& [parameters, chunk_size] : std::vector<std::pair<std::string, std::size_t>>{
           {"technique=reed_sol_van k=2 m=2", 100}, {"technique=reed_sol_r6_op k=2", 4}, {"technique=cauchy_good k=2 m=2", 4096}}) {
    SCOPED_TRACE(parameters);
    const auto code = make_code("jerasure", parameters);
    ChunkSet chunks(4, chunk_size);
    const std::vector<std::uint8_t*> pointers(chunks.pointers().begin(), chunks.pointers().end());
    const std::vector<const std::uint8_t*> data(pointers.begin(), pointers.begin() + 2);
    EXPECT_THROW(code->encode(data, std::span(pointers).subspan(2), chunk_size), Error);
    EXPECT_THROW(code->decode(*code->plan({0}, {0}), chunks.pointers(), chunk_size), Error);
  }
}

TEST(Jerasure, OneLostDataChunkIsTheXorOfTheOthersAndTheFirstCodingChunk) {
  for (const char* parameters :
       {"technique=reed_sol_van k=4 m=3", "technique=reed_sol_r6_op k=4", "technique=cauchy_good k=4 m=3"}) {
    const auto code = make_code("jerasure", parameters);
    EXPECT_EQ(code->plan({1}, {1})->reads, Positions({0, 2, 3, 4})) << parameters;
    EXPECT_EQ(code->plan({1, 4}, {1})->reads, Positions({0, 2, 3, 5})) << parameters;
    EXPECT_EQ(code->plan({5}, {5})->reads, Positions({0, 1, 2, 3})) << parameters;
  }
}

}  // namespace
}  // namespace ecbench::test
