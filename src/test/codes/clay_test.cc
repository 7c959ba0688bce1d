#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"

namespace ecbench::test {
namespace {

/// Repairs every chunk. Checks that each repair reads from d helpers, and reads as many bytes as d/q chunks have (q = d-k+1).
void check_repairs(const ErasureCode& code, const ChunkSet& truth, int d) {
  ASSERT_NE(code.repair(), nullptr);
  const int q = d - code.data_chunk_count() + 1;
  for (const int lost : all_positions(code)) {
    SCOPED_TRACE("lost " + std::to_string(lost));
    const ReadSet reads = checked_reads(code, truth, lost);
    EXPECT_EQ(reads.size(), static_cast<std::size_t>(d));
    int sub_chunks = 0;
    for (const auto& [position, runs] : reads) {
      for (const SubChunkRun& run : runs) sub_chunks += run.count;
    }
    EXPECT_EQ(sub_chunks * q, d * code.sub_chunk_count());
  }
}

void check_profile(const std::string& parameters, std::size_t object_size, int d) {
  SCOPED_TRACE(parameters);
  const auto code = make_code("clay", parameters);
  EXPECT_EQ(check_all_erasures(*code, object_size), std::vector<Positions>());
  if (code->sub_chunk_count() > 1) check_repairs(*code, encoded(*code, random_object(object_size)), d);
}

TEST(Clay, RepairsEveryChunkOfThePublishedCorpus) {
  std::set<std::string> seen;
  for (const nlohmann::json& line : conformance_lines("corpus.jsonl")) {
    if (line.at("plugin") != "clay" || !seen.insert(line.at("profile").dump()).second) continue;
    SCOPED_TRACE(line.at("profile").dump());
    const auto code = make_code("clay", profile_of(line));
    check_repairs(*code, encoded(*code, random_object(2111)), profile_of(line).integer("d"));
  }
  EXPECT_EQ(seen.size(), 30u);
}

// Takes less time to set up than other backends.
std::string on_isa(int k, int m, int d) { return shape(k, m) + " d=" + std::to_string(d) + " backend=isa"; }

TEST(Clay, RecoversEveryLossOfUpToMOfEightChunks) {
  for (int k = 2; k <= 7; k++) {
    for (int m = 1; k + m <= 8; m++) {
      for (int d = k; d < k + m; d++) check_profile(on_isa(k, m, d), 100, d);
    }
  }
}

TEST(Clay, RecoversEveryLossOfUpToMOfTwelveChunks) {
  for (const auto& [k, m, d] : std::vector<std::array<int, 3>>{{10, 2, 11}, {9, 3, 11}, {9, 3, 10}, {8, 4, 10}, {6, 5, 9}}) {
    check_profile(on_isa(k, m, d), 100, d);
  }
}

TEST(Clay, RecoversEveryLossOfUpToMChunksOnOtherScalarCodes) {
  check_profile("k=4 m=2", 5000, 5);
  check_profile("k=4 m=2 technique=reed_sol_r6_op", 5000, 5);
  check_profile("k=5 m=2 scalar_mds=isa", 5000, 6);
  check_profile("k=4 m=3 d=5 scalar_mds=isa technique=cauchy", 5000, 5);
  check_profile("k=4 m=2 scalar_mds=isa backend=jerasure", 5000, 5);
  check_profile("k=4 m=2 scalar_mds=shec", 5000, 5);
  check_profile("k=4 m=2 scalar_mds=shec technique=multiple backend=isa", 5000, 5);
  check_profile("k=2 m=2 technique=cauchy_good", 1, 3);
  check_profile("k=2 m=2 technique=cauchy_orig", 1, 3);
  check_profile("k=3 m=2 d=3 technique=liber8tion", 1, 3);
  check_profile("k=2 m=2 technique=liberation", 1, 3);
}

// Clay processes long sub-chunks in segments, and several planes (one sub-chunk of each chunk) of short ones together.
TEST(Clay, RecoversFromSubChunksOfAnyLength) {
  for (const std::size_t sub_chunk : {32, 96, 608, 1056, 2080, 4096, 4128, 8192, 12320}) {
    for (const auto& [k, m, d] : std::vector<std::array<int, 3>>{{4, 2, 5}, {3, 3, 4}, {4, 3, 6}}) {
      SCOPED_TRACE(on_isa(k, m, d) + ", sub-chunks of " + std::to_string(sub_chunk));
      const auto code = make_code("clay", on_isa(k, m, d));
      const std::size_t chunk_size = sub_chunk * static_cast<std::size_t>(code->sub_chunk_count());
      const ChunkSet truth = encoded(*code, random_object(chunk_size * static_cast<std::size_t>(k)));
      ASSERT_EQ(truth.chunk_size(), chunk_size);
      for (const Positions& erased : {Positions{0}, Positions{1, k}, Positions{k, k + 1}}) {
        check_decode(*code, truth, erased, all_positions(*code));
        check_decode(*code, truth, erased, {erased.back()});
      }
      check_repairs(*code, truth, d);
    }
  }
}

TEST(Clay, RecoversRandomLossesOfLargeCodes) {
  std::mt19937 random(7);
  for (const auto& [k, m, d] : std::vector<std::array<int, 3>>{{16, 4, 19}, {20, 4, 22}, {12, 6, 15}, {17, 3, 19}, {30, 10, 30}}) {
    SCOPED_TRACE(on_isa(k, m, d));
    const auto code = make_code("clay", on_isa(k, m, d));
    const ChunkSet truth = encoded(*code, random_object(1000));
    for (int round = 0; round < 3; round++) {
      check_decode(*code, truth, some_of(all_positions(*code), 1 + random() % index(m), random), all_positions(*code));
    }
    if (d > k) check_repairs(*code, truth, d);
  }
}

// The scalar code has as many chunks as the Clay code.
TEST(Clay, RefusesWhatItsScalarCodeCannotRecover) {
  const auto refused_by_shec = check_all_erasures(*make_code("shec", "k=6 m=3 c=2 technique=single"), 100);
  EXPECT_FALSE(refused_by_shec.empty());
  EXPECT_EQ(check_all_erasures(*make_code("clay", "k=6 m=3 d=8 scalar_mds=shec backend=isa"), 100), refused_by_shec);
  const auto refused_by_blaum_roth = check_all_erasures(*make_code("jerasure", "technique=blaum_roth k=4 m=2"), 100);
  EXPECT_EQ(refused_by_blaum_roth, std::vector<Positions>({{0, 2}}));
  EXPECT_EQ(check_all_erasures(*make_code("clay", "k=4 m=2 d=5 technique=blaum_roth"), 100), refused_by_blaum_roth);
}

// Some chunks are repaired from parts of the helpers, other chunks from whole helpers.
TEST(Clay, RepairsEveryChunkOnACodeThatIsNotMds) {
  for (const char* parameters : {"k=4 m=3 d=5", "k=6 m=3 d=7", "k=6 m=4 d=7", "k=5 m=4 d=8"}) {
    SCOPED_TRACE(parameters);
    const auto code = make_code("clay", std::string(parameters) + " scalar_mds=shec backend=isa");
    const ChunkSet truth = encoded(*code, random_object(5000));
    for (const int lost : all_positions(*code)) {
      const ReadSet reads = checked_reads(*code, truth, lost);
      for (const int position : code->plan({lost}, {lost})->reads) EXPECT_TRUE(reads.contains(position)) << lost << ' ' << position;
    }
  }
}

TEST(Clay, WithKHelpersIsTheScalarCode) {
  const auto clay = make_code("clay", "k=4 m=3 d=4");
  const auto plain = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  EXPECT_EQ(clay->sub_chunk_count(), 1);
  EXPECT_EQ(clay->repair(), nullptr);
  expect_same(encoded(*clay, random_object(10000)), encoded(*plain, random_object(10000)));
}

TEST(Clay, ReadsKWholeChunksIfMoreThanOneIsLost) {
  const auto code = make_code("clay", "k=5 m=3 d=6");
  const auto asked = [&](const Positions& wanted, const Positions& available) {
    Positions positions;
    for (const auto& [position, runs] : code->minimum_to_decode(wanted, available)) {
      EXPECT_EQ(runs.size(), 1u);
      EXPECT_EQ(runs.front().count, code->sub_chunk_count());
      positions.push_back(position);
    }
    return positions;
  };
  EXPECT_EQ(asked({0}, {2, 3, 4, 5, 6, 7}), (Positions{2, 3, 4, 5, 6})) << "chunk 1, which is in the same group, is missing too";
  EXPECT_EQ(asked({0, 7}, {1, 2, 3, 4, 5, 6}), (Positions{1, 2, 3, 4, 5}));
  EXPECT_EQ(asked({3}, {2, 3}), (Positions{3}));
  EXPECT_THROW(asked({0}, {1, 2, 3, 4}), Error);
  EXPECT_THROW(asked({8}, {1, 2, 3, 4, 5, 6, 7}), Error);
}

TEST(Clay, RefusesARepairWithoutAHelper) {
  const auto code = make_code("clay", "k=4 m=2");
  const std::size_t size = code->chunk_size(1000);
  ChunkSet parts(6, size);
  ChunkSet rebuilt(1, size + 64);
  std::vector<const std::uint8_t*> helpers(parts.pointers().begin(), parts.pointers().end());
  const auto repair = [&](int lost, std::size_t chunk_size) {
    code->repair()->repair(lost, helpers, rebuilt[0].data(), chunk_size);
  };
  EXPECT_NO_THROW(repair(1, size));
  EXPECT_THROW(repair(1, size + 64), Error);
  EXPECT_THROW(repair(6, size), Error);
  helpers[3] = nullptr;
  EXPECT_THROW(repair(1, size), Error);
}

}  // namespace
}  // namespace ecbench::test
