// Tests the plugin replication: a code with one data chunk. All coding chunks are copies of this data chunk.

#include <gtest/gtest.h>

#include <algorithm>

#include "erasure_code/error.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

TEST(Replication, EveryChunkIsTheObject) {
  const auto code = make_code("replication", "size=3");
  EXPECT_EQ(code->data_chunk_count(), 1);
  EXPECT_EQ(code->coding_chunk_count(), 2);
  const std::vector<std::uint8_t> object = random_object(1001);
  const ChunkSet chunks = encoded(*code, object);
  for (const int position : all_positions(*code)) EXPECT_TRUE(std::ranges::equal(chunks[position], object));
}

TEST(Replication, AllCopiesButOneMayBeLost) {
  for (const char* size : {"2", "3", "4", "12"}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(check_all_erasures(*make_code("replication", std::string("size=") + size), 100), std::vector<Positions>());
  }
}

TEST(Replication, ALostCopyIsMadeFromOneOther) {
  const auto code = make_code("replication", "size=4");
  EXPECT_EQ(code->plan({0, 2}, {0, 2})->reads, Positions({1}));
  EXPECT_EQ(code->minimum_to_decode({3}, {0, 1, 2}).size(), 1u);
  EXPECT_THROW(code->plan({0, 1, 2, 3}, {0}), Error);
}

TEST(Replication, ASizeOfOneOrOfTooManyIsRefused) {
  for (const char* size : {"1", "0", "257", "two"}) {
    EXPECT_THROW(make_code("replication", std::string("size=") + size), Error) << size;
  }
}

}  // namespace
}  // namespace ecbench::test
