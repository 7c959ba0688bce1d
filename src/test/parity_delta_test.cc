// Tests parity deltas. After a parity delta, the coding chunks must have the same bytes as after a full encode of the new object.
// All sets of changed chunks are tested, for every code that has a parity delta.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test/coded_object.h"

namespace ecbench::test {
namespace {

struct Profiled {
  std::string plugin;
  std::string parameters;
};

void PrintTo(const Profiled& profiled, std::ostream* out) {
  *out << profiled.plugin << ' ' << profiled.parameters;
}

const std::vector<Profiled> profiles{
    {"isa", "k=2 m=1"},
    {"isa", "k=5 m=1 technique=cauchy"},
    {"isa", "k=5 m=2"},
    {"isa", "k=5 m=4"},
    {"isa", "k=4 m=6 technique=cauchy"},
    {"isa", "k=4 m=2 mapping=_DD_DD"},
    {"replication", "size=2"},
    {"replication", "size=4"},
    {"jerasure", "technique=reed_sol_van k=2 m=1"},
    {"jerasure", "technique=reed_sol_van k=5 m=3"},
    {"jerasure", "technique=reed_sol_van k=4 m=2 w=16"},
    {"jerasure", "technique=reed_sol_van k=4 m=3 w=32"},
    {"jerasure", "technique=reed_sol_van k=4 m=2 mapping=_DD_DD"},
    {"jerasure", "technique=reed_sol_r6_op k=5 m=2"},
    {"jerasure", "technique=reed_sol_r6_op k=4 m=2 w=16"},
    {"jerasure", "technique=cauchy_orig k=4 m=3 packetsize=32"},
    {"jerasure", "technique=cauchy_good k=4 m=3 packetsize=8 w=4"},
    {"jerasure", "technique=liberation k=4 m=2 w=7 packetsize=8"},
    {"jerasure", "technique=blaum_roth k=4 m=2 w=6 packetsize=40"},
    {"jerasure", "technique=liber8tion k=4 m=2 packetsize=24"},
#ifdef ECBENCH_SIMD
    {"simd", "k=5 m=1"},
    {"simd", "k=5 m=2"},
    {"simd", "k=5 m=4"},
    {"simd", "technique=cauchy k=4 m=6"},
    {"simd", "technique=reed_sol_r6_op k=5"},
    {"simd", "k=5 m=3 matrix=jerasure"},
    {"simd", "k=4 m=2 mapping=_DD_DD"},
    {"simd", "technique=cauchy_orig k=4 m=3 packetsize=32"},
    {"simd", "technique=cauchy_good k=4 m=3 packetsize=9 w=4"},
    {"simd", "technique=cauchy_good k=5 m=4 packetsize=72"},
    {"simd", "technique=cauchy_good k=4 m=2 packetsize=64 mapping=_DD_DD"},
    {"simd", "technique=liberation k=4 m=2 w=7 packetsize=520"},
    {"simd", "technique=liberation k=3 m=2 w=131 packetsize=8"},
    {"simd", "technique=blaum_roth k=4 m=2 w=6 packetsize=40"},
    {"simd", "technique=liber8tion k=4 m=2 packetsize=24"},
#endif
    {"shec", "k=4 m=3 c=2"},
    {"shec", "k=4 m=3 c=2 w=16"},
    {"shec", "k=4 m=2 c=1 w=32"},
    {"shec", "k=4 m=3 c=2 backend=isa"},
    {"shec", "technique=single k=4 m=3 c=2"},
};

/// The size of the object, divided by the number of data chunks. The code may round this value up to the chunk size.
constexpr std::size_t chunk_bytes = 4096;

/// A byte range of a chunk: its start and its size, in units of the code's granularity.
struct Piece {
  std::size_t first_multiple;
  std::size_t multiples;  ///< 0: up to the end of the chunk
};

const std::vector<Piece> pieces{{0, 0}, {0, 1}, {1, 1}, {3, 7}, {32, 64}, {7, 0}};

/// A buffer whose address is `skew` bytes after a multiple of chunk_alignment_bytes.
class Buffer {
 public:
  Buffer(std::size_t size, std::size_t skew) : set_(1, size + skew), bytes_(set_[0].subspan(skew)) {}
  std::span<std::uint8_t> bytes() const { return bytes_; }
  bool guards_are_whole() const { return set_.guards_are_whole(); }

 private:
  ChunkSet set_;
  std::span<std::uint8_t> bytes_;
};

class Overwrite {
 public:
  explicit Overwrite(const ErasureCode& code)
      : code_(code),
        delta_(*code.parity_delta()),
        chunk_size_(code.chunk_size(chunk_bytes * static_cast<std::size_t>(code.data_chunk_count()))),
        old_object_(random_object(chunk_size_ * static_cast<std::size_t>(code.data_chunk_count()))),
        old_(encoded(code, old_object_)) {}

  std::size_t chunk_size() const { return chunk_size_; }

  /// Changes `size` bytes at `offset` in each data chunk of `changed`, and checks the coding chunks. The new bytes are in a buffer
  /// whose address is `skew` bytes after a multiple of chunk_alignment_bytes.
  void check(const Positions& changed, std::size_t offset, std::size_t size, std::size_t skew) const {
    std::vector<std::uint8_t> new_object = old_object_;
    std::vector<ChangedChunk> chunks;
    for (const int chunk : changed) {
      const auto new_bytes = std::span(new_object).subspan(static_cast<std::size_t>(chunk) * chunk_size_ + offset, size);
      for (std::uint8_t& byte : new_bytes) byte = static_cast<std::uint8_t>(byte * 5 + 1 + chunk);
    }
    const ChunkSet truth = encoded(code_, new_object);
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < changed.size(); i++) buffers.emplace_back(size, skew);
    for (std::size_t i = 0; i < changed.size(); i++) {
      const int position = code_.data_positions()[static_cast<std::size_t>(changed[i])];
      std::ranges::copy(truth[position].subspan(offset, size), buffers[i].bytes().begin());
      chunks.push_back({ChunkNumber{changed[i]}, old_[position].data() + offset, buffers[i].bytes().data()});
    }
    ChunkSet updated = encoded(code_, old_object_);
    std::vector<std::uint8_t*> coding;
    for (const int position : code_.coding_positions()) coding.push_back(updated[position].data() + offset);
    ChunkSet scratch(1, std::max<std::size_t>(delta_.scratch_size(size), 1));
    delta_.update(chunks, coding, size, scratch[0].first(delta_.scratch_size(size)));
    EXPECT_TRUE(scratch.guards_are_whole()) << "writes outside its scratch memory";
    EXPECT_TRUE(updated.guards_are_whole()) << "writes outside the coding chunks";
    for (const int position : code_.coding_positions()) {
      EXPECT_TRUE(std::ranges::equal(updated[position], truth[position])) << "chunk " << position << " is wrong";
    }
  }

 private:
  const ErasureCode& code_;
  const ParityDelta& delta_;
  std::size_t chunk_size_;
  std::vector<std::uint8_t> old_object_;
  ChunkSet old_;
};

class EveryParityDelta : public testing::TestWithParam<Profiled> {};

TEST_P(EveryParityDelta, UpdatesTheCodingChunksToThoseOfTheNewObject) {
  const auto code = make_code(GetParam().plugin, GetParam().parameters);
  ASSERT_NE(code->parity_delta(), nullptr);
  const std::size_t granularity = code->parity_delta()->granularity();
  const Overwrite overwrite(*code);
  const std::size_t chunk_size = overwrite.chunk_size();
  ASSERT_EQ(chunk_size % granularity, 0u);
  std::vector<Positions> sets = erasure_patterns(code->data_chunk_count(), code->data_chunk_count());
  sets.emplace_back();
  for (const Positions& changed : sets) {
    for (const Piece& piece : pieces) {
      const std::size_t offset = piece.first_multiple * granularity;
      if (offset >= chunk_size) continue;
      const std::size_t size = piece.multiples == 0 ? chunk_size - offset : piece.multiples * granularity;
      if (offset + size > chunk_size) continue;
      for (const std::size_t skew : {0, 5}) {
        SCOPED_TRACE(testing::PrintToString(changed) + " offset " + std::to_string(offset) + " size " + std::to_string(size) +
                     " skew " + std::to_string(skew));
        overwrite.check(changed, offset, size, skew);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ParityDelta, EveryParityDelta, testing::ValuesIn(profiles));

TEST(ParityDelta, HasScratchMemoryForAWholeBlockOfLargePackets) {
  for (const char* packetsize : {"64", "150000000"}) {
    const auto code = make_code("jerasure", std::string("k=2 m=2 technique=cauchy_good packetsize=") + packetsize);
    const ParityDelta& delta = *code->parity_delta();
    EXPECT_GE(delta.scratch_size(delta.granularity()), delta.granularity()) << packetsize;
  }
}

TEST(ParityDelta, IsNullIfTheCodeHasNone) {
  EXPECT_EQ(make_code("example", "")->parity_delta(), nullptr);
}

}  // namespace
}  // namespace ecbench::test
