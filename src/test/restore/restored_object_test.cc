#include "restore/restored_object.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "erasure_code/error.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

const std::vector<Profiled> restorable_profiles = {
    {"jerasure", "technique=reed_sol_van k=4 m=3"},
    {"jerasure", "technique=liberation k=3 packetsize=8"},
    {"isa", "k=3 m=2 mapping=_D_DD"},
    {"isa", "k=4 m=1"},
    {"replication", "size=3"},
    {"shec", "k=6 m=4 c=3"},
    {"shec", "technique=multiple k=3 m=3 c=2"},
    {"lrc", "k=4 m=2 l=3"},
    {"clay", "k=4 m=2 d=5"},
};

constexpr std::size_t restored_object_size = 1999;

/// With the chunks of `truth`, except `lost`, whose memory contains wrong bytes.
RestoredObject left_of(const ErasureCode& code, const ChunkSet& truth, const Positions& lost) {
  RestoredObject object(code, truth.chunk_size(), 1, without(code, lost));
  for (const int position : all_positions(code)) {
    const bool is_lost = std::ranges::find(lost, position) != lost.end();
    std::ranges::transform(truth[position], object.chunks().bytes(position).begin(),
                           [&](std::uint8_t byte) { return is_lost ? static_cast<std::uint8_t>(~byte) : byte; });
  }
  return object;
}

std::vector<std::uint8_t> joined(const std::vector<std::span<const std::uint8_t>>& pieces) {
  std::vector<std::uint8_t> bytes;
  for (const auto piece : pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

TEST(RestoredObject, HasTheObjectsBytesAfterEveryLossThatTheCodeRecovers) {
  for (const Profiled& profiled : restorable_profiles) {
    SCOPED_TRACE(profiled.plugin + " " + profiled.parameters);
    const auto code = make_code(profiled.plugin, profiled.parameters);
    const std::vector<std::uint8_t> bytes = random_object(restored_object_size);
    const ChunkSet truth = encoded(*code, bytes);
    for (const Positions& lost : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
      RestoredObject object = left_of(*code, truth, lost);
      if (!recovers([&] { object.rebuild(); })) {
        EXPECT_THROW(code->plan(lost, data_positions(*code)), Error) << "the code can recover this loss";
        continue;
      }
      EXPECT_EQ(joined(object.object(restored_object_size)), bytes);
      EXPECT_EQ(object.disagreeing(), Positions());
      const std::vector<std::uint8_t> padding = joined(object.padding(restored_object_size));
      EXPECT_EQ(padding.size(), truth.chunk_size() * data_positions(*code).size() - restored_object_size);
      EXPECT_TRUE(std::ranges::all_of(padding, [](std::uint8_t byte) { return byte == 0; }));
    }
  }
}

/// All sets of chunks from which the code can decode the object.
std::vector<Positions> sufficient_sets(const ErasureCode& code) {
  std::vector<Positions> sets{all_positions(code)};
  for (const Positions& lost : erasure_patterns(code.chunk_count(), code.coding_chunk_count())) {
    if (recovers([&] { code.plan(lost, data_positions(code)); })) sets.push_back(without(code, lost));
  }
  return sets;
}

struct Findings {
  int found = 0;
  int missed = 0;
  int named = 0;  ///< a part of `found`
};

/// Damages chunk `damaged` while only the chunks `available` exist. If a chunk is named as damaged, it must be this one. A chunk is
/// checked if unchecked() does not contain it. If the damage of a checked chunk is not found, the decoded object must still be
/// correct.
void check_damage(const ErasureCode& code, const ChunkSet& truth, std::span<const std::uint8_t> bytes, const Positions& available,
                  int damaged, bool in_every_byte, Findings& findings) {
  SCOPED_TRACE(testing::PrintToString(available) + " damaged: " + std::to_string(damaged));
  RestoredObject object = left_of(code, truth, without(code, available));
  const Positions unchecked = object.unchecked();
  const std::span<std::uint8_t> chunk = object.chunks().bytes(damaged);
  for (std::uint8_t& byte : in_every_byte ? chunk : chunk.subspan(chunk.size() / 2, 1)) byte ^= 0x40;
  object.rebuild();
  const bool is_found = !object.disagreeing().empty();
  (is_found ? findings.found : findings.missed)++;
  if (is_found) {
    const Positions suspects = object.suspects();
    EXPECT_NE(std::ranges::find(suspects, damaged), suspects.end()) << "another chunk is reported as damaged";
    findings.named += suspects.size() == 1;
  } else {
    EXPECT_LT(available.size(), index(code.chunk_count())) << "no chunk is missing, but the damage is not reported";
    EXPECT_TRUE(std::ranges::binary_search(unchecked, damaged) || std::ranges::equal(joined(object.object(bytes.size())), bytes))
        << "the wrong bytes of a checked chunk are in the object";
  }
}

TEST(RestoredObject, FindsTheDamageOfEveryCheckedChunkAndNamesNoOther) {
  std::vector<Profiled> more = restorable_profiles;
  for (const char* parameters : {"k=5 m=3 l=8", R"(mapping=__DD__DD layers=[["_cDD_cDD",""],["cDDD____",""],["____cDDD",""]])"}) {
    more.push_back({"lrc", parameters});
  }
  for (const Profiled& profiled : more) {
    SCOPED_TRACE(profiled.plugin + " " + profiled.parameters);
    const auto code = make_code(profiled.plugin, profiled.parameters);
    const std::vector<std::uint8_t> bytes = random_object(restored_object_size);
    const ChunkSet truth = encoded(*code, bytes);
    for (const bool in_every_byte : {true, false}) {
      Findings findings;
      for (const Positions& available : sufficient_sets(*code)) {
        for (const int damaged : available) check_damage(*code, truth, bytes, available, damaged, in_every_byte, findings);
      }
      EXPECT_GT(findings.found, 0);
      EXPECT_GT(findings.missed, 0);
      // With m=1, the damage of a chunk can be detected, but not which chunk is damaged.
      EXPECT_EQ(findings.named > 0, code->coding_chunk_count() > 1);
    }
  }
}

TEST(RestoredObject, NamesUncheckedChunks) {
  const auto unchecked = [](const ErasureCode& code, const Positions& available) {
    return RestoredObject(code, 4096, 1, available).unchecked();
  };
  const auto isa = make_code("isa", "k=3 m=3");
  EXPECT_EQ(unchecked(*isa, {0, 1, 2}), Positions({0, 1, 2}));
  EXPECT_EQ(unchecked(*isa, {0, 1, 2, 4}), Positions());
  EXPECT_EQ(unchecked(*isa, {0, 2, 3}), Positions({0, 2, 3}));
  EXPECT_EQ(unchecked(*isa, {0, 2, 3, 5}), Positions());
  EXPECT_THROW(unchecked(*isa, {0, 5}), Error);
  // Five chunks are available, and four of them are sufficient to compute the data chunks. So one equation remains to check chunks.
  // This equation does not contain the chunks 2 and 5, so these two chunks are unchecked.
  const auto lrc = make_code("lrc", "k=4 m=2 l=3");
  EXPECT_EQ(unchecked(*lrc, {2, 3, 5, 6, 7}), Positions({2, 5}));
  EXPECT_EQ(unchecked(*lrc, all_positions(*lrc)), Positions());
}

}  // namespace
}  // namespace ecbench::test
