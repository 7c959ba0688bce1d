// Tests the codes of plugin isa. conformance_test.cc also tests these codes: it compares their chunks with chunks that Ceph
// encoded.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "erasure_code/error.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

TEST(Isa, OneCodingChunkIsTheXorOfTheDataForEveryTechnique) {
  const std::vector<std::uint8_t> object = random_object(5000);
  for (const char* technique : {"reed_sol_van", "cauchy"}) {
    const auto code = make_code("isa", std::string("k=5 m=1 technique=") + technique);
    const ChunkSet chunks = encoded(*code, object);
    std::vector<std::uint8_t> sum(chunks.chunk_size(), 0);
    for (int position = 0; position < 5; position++) {
      std::ranges::transform(sum, chunks[position], sum.begin(), [](int a, int b) { return static_cast<std::uint8_t>(a ^ b); });
    }
    EXPECT_TRUE(std::ranges::equal(sum, chunks[5])) << technique;
  }
}

TEST(Isa, TheEmptyProfileIsSevenPlusThree) {
  const auto code = make_code("isa", "");
  EXPECT_EQ(code->data_chunk_count(), 7);
  EXPECT_EQ(code->coding_chunk_count(), 3);
}

TEST(Isa, ChunksArePaddedTo32Bytes) {
  const auto code = make_code("isa", "k=3 m=2");
  EXPECT_EQ(code->chunk_size(1), 32u);
  EXPECT_EQ(code->chunk_size(96), 32u);
  EXPECT_EQ(code->chunk_size(97), 64u);
  EXPECT_GT(code->chunk_size(std::numeric_limits<std::size_t>::max()), std::numeric_limits<std::size_t>::max() / 3);
}

TEST(Isa, OneLostDataChunkIsTheXorOfTheOthersAndTheFirstCodingChunk) {
  const auto code = make_code("isa", "k=4 m=3");
  EXPECT_EQ(code->plan({1}, {1})->reads, Positions({0, 2, 3, 4}));
  EXPECT_EQ(code->plan({1, 4}, {1})->reads, Positions({0, 2, 3, 5}));
  EXPECT_EQ(code->plan({5}, {5})->reads, Positions({0, 1, 2, 3}));
}

TEST(Isa, ChunksOfEverySizeAreEncoded) {
  for (const char* parameters : {"k=3 m=1", "k=3 m=3", "k=3 m=3 technique=cauchy"}) {
    const auto code = make_code("isa", parameters);
    for (const std::size_t chunk_size : {std::size_t{1}, std::size_t{15}, std::size_t{31}, std::size_t{33}, std::size_t{127}}) {
      ChunkSet chunks(code->chunk_count(), chunk_size);
      std::vector<std::uint8_t*> pointers(chunks.pointers().begin(), chunks.pointers().end());
      const std::vector<std::uint8_t> object = random_object(3 * chunk_size);
      for (std::size_t i = 0; i < 3; i++) std::copy_n(object.begin() + static_cast<long>(i * chunk_size), chunk_size, pointers[i]);
      const std::vector<const std::uint8_t*> data(pointers.begin(), pointers.begin() + 3);
      code->encode(data, std::span(pointers).subspan(3), chunk_size);
      EXPECT_TRUE(chunks.guards_are_whole());
      for (const Positions& erased : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
        check_decode(*code, chunks, erased, erased);
      }
    }
  }
}

}  // namespace
}  // namespace ecbench::test
