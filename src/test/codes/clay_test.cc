// Tests Clay codes. A repair reads exactly the bytes that minimum_to_decode() requests. If the scalar code is MDS, every loss of up
// to m chunks is recovered. If the scalar code is not MDS, the losses that it cannot recover are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

/// Memory of exactly `size` bytes, so that a sanitizer detects reads past the end. The address is a multiple of
/// chunk_alignment_bytes.
class ExactBuffer {
 public:
  explicit ExactBuffer(std::size_t size) : bytes_(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[size]), size_(size) {}
  std::span<std::uint8_t> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t{chunk_alignment_bytes}); }
  };
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::size_t size_;
};

Positions all_but(const ErasureCode& code, int lost) {
  Positions others = all_positions(code);
  std::erase(others, lost);
  return others;
}

/// The parts of the helpers that the repair of one lost chunk reads.
class Parts {
 public:
  Parts(const ErasureCode& code, const ChunkSet& truth, int lost)
      : reads_(code.minimum_to_decode({lost}, all_but(code, lost))), pointers_(static_cast<std::size_t>(code.chunk_count())) {
    const std::size_t sub_chunk = truth.chunk_size() / static_cast<std::size_t>(code.sub_chunk_count());
    for (const auto& [position, runs] : reads_) {
      std::size_t count = 0;
      for (const SubChunkRun& run : runs) count += static_cast<std::size_t>(run.count);
      sub_chunks_ += count;
      buffers_.emplace_back(count * sub_chunk);
      auto out = buffers_.back().bytes().begin();
      for (const SubChunkRun& run : runs) {
        const std::size_t first = static_cast<std::size_t>(run.first) * sub_chunk;
        out = std::ranges::copy(truth[position].subspan(first, static_cast<std::size_t>(run.count) * sub_chunk), out).out;
      }
      pointers_[static_cast<std::size_t>(position)] = buffers_.back().bytes().data();
    }
  }

  std::span<const std::uint8_t* const> pointers() const { return pointers_; }
  const ReadSet& reads() const { return reads_; }
  std::size_t sub_chunks() const { return sub_chunks_; }

 private:
  ReadSet reads_;
  std::vector<ExactBuffer> buffers_;
  std::vector<const std::uint8_t*> pointers_;
  std::size_t sub_chunks_ = 0;
};

/// Repairs every chunk. Checks that each repair reads from d helpers, and reads as many bytes as d/q chunks have (q = d-k+1).
void check_repairs(const ErasureCode& code, const ChunkSet& truth, int d) {
  ASSERT_NE(code.repair(), nullptr);
  const int q = d - code.data_chunk_count() + 1;
  for (const int lost : all_positions(code)) {
    SCOPED_TRACE("lost " + std::to_string(lost));
    const Parts parts(code, truth, lost);
    EXPECT_EQ(parts.reads().size(), static_cast<std::size_t>(d));
    EXPECT_EQ(parts.sub_chunks() * static_cast<std::size_t>(q), static_cast<std::size_t>(d * code.sub_chunk_count()));
    const ExactBuffer rebuilt(truth.chunk_size());
    std::ranges::transform(truth[lost], rebuilt.bytes().begin(),
                           [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
    code.repair()->repair(lost, parts.pointers(), rebuilt.bytes().data(), truth.chunk_size());
    EXPECT_TRUE(std::ranges::equal(rebuilt.bytes(), truth[lost]));
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

// Parameters of a Clay code whose chunks are computed by ISA-L. With backend=isa, a code takes less time to set up than with other
// backends.
std::string on_isa(int k, int m, int d) {
  return "k=" + std::to_string(k) + " m=" + std::to_string(m) + " d=" + std::to_string(d) + " backend=isa";
}

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
}

TEST(Clay, RecoversEveryLossOfUpToMChunksOnPacketCodes) {
  check_profile("k=2 m=2 technique=cauchy_good", 1, 3);
  check_profile("k=2 m=2 technique=cauchy_orig", 1, 3);
  check_profile("k=3 m=2 d=3 technique=liber8tion", 1, 3);
  check_profile("k=2 m=2 technique=liberation", 1, 3);
}

// Clay processes long sub-chunks in segments. The last segment can be shorter than the others. If sub-chunks are short, Clay
// processes several planes together. A plane is one sub-chunk of each chunk.
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
      Positions erased = all_positions(*code);
      std::ranges::shuffle(erased, random);
      erased.resize(1 + random() % static_cast<unsigned>(m));
      std::ranges::sort(erased);
      check_decode(*code, truth, erased, all_positions(*code));
    }
    if (d > k) check_repairs(*code, truth, d);
  }
}

// In this test, the scalar code has as many chunks as the Clay code. Both codes must refuse the same losses.
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
  const std::vector<std::uint8_t> object = random_object(10000);
  const ChunkSet chunks = encoded(*clay, object);
  const ChunkSet expected = encoded(*plain, object);
  for (const int position : all_positions(*clay)) EXPECT_TRUE(std::ranges::equal(chunks[position], expected[position])) << position;
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
  const ChunkSet truth = encoded(*code, random_object(1000));
  const Parts parts(*code, truth, 1);
  std::vector<const std::uint8_t*> helpers(parts.pointers().begin(), parts.pointers().end());
  const ExactBuffer rebuilt(truth.chunk_size());
  code->repair()->repair(1, helpers, rebuilt.bytes().data(), truth.chunk_size());
  EXPECT_TRUE(std::ranges::equal(rebuilt.bytes(), truth[1]));
  EXPECT_THROW(code->repair()->repair(1, helpers, rebuilt.bytes().data(), truth.chunk_size() + 64), Error);
  EXPECT_THROW(code->repair()->repair(6, helpers, rebuilt.bytes().data(), truth.chunk_size()), Error);
  helpers[3] = nullptr;
  EXPECT_THROW(code->repair()->repair(1, helpers, rebuilt.bytes().data(), truth.chunk_size()), Error);
}

TEST(Clay, TwoThreadsRepairOnOneInstance) {
  const auto code = make_code("clay", "k=4 m=3 d=5");
  const ChunkSet truth = encoded(*code, random_object(60000));
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    for (const int lost : all_positions(*code)) {
      const Parts parts(*code, truth, lost);
      const ExactBuffer rebuilt(truth.chunk_size());
      for (int round = 0; round < 20; round++) {
        std::ranges::fill(rebuilt.bytes(), std::uint8_t{0});
        code->repair()->repair(lost, parts.pointers(), rebuilt.bytes().data(), truth.chunk_size());
        wrong += !std::ranges::equal(rebuilt.bytes(), truth[lost]);
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Clay, RefusesWhatItCannotServe) {
  for (const auto& [parameters, begins_with] : std::vector<std::pair<std::string, std::string>>{
           {"k=4 m=2 d=6", "d=6 is not allowed: use 4 to 5 (k to k+m-1), because "},
           {"k=4 m=2 d=3", "d=3 is not allowed: use 4 to 5 "},
           {"k=1", "k=1 is not allowed: "},
           {"m=0", "m=0 is not allowed: "},
           {"k=250 m=10 d=259", "k=250 is not allowed: "},
           {"k=200 m=53 d=230", "k=200 is not allowed: "},
           {"k=30 m=4", "d=33 is not allowed: "},
           {"scalar_mds=nope", "scalar_mds=nope is not allowed"},
           {"scalar_mds=clay", "scalar_mds=clay is not allowed"},
           {"scalar_mds=example", "scalar_mds=example is not allowed"},
           {"scalar_mds=replication", "scalar_mds=replication is not allowed"},
           {"scalar_mds=isa k=20 m=5", "scalar_mds=isa is not allowed"},
           {"scalar_mds=shec technique=reed_sol_van", "technique=reed_sol_van is not a technique of plugin shec"},
           {"technique=reed_sol_r6_op m=3", "scalar_mds=jerasure is not allowed"},
           {"technique=cauchy_good backend=isa", "backend=isa is not allowed"},
           {"backend=shec", "backend=shec is not allowed"},
           {"backend=nope", "backend=nope is not allowed"}}) {
    SCOPED_TRACE(parameters);
    const Error error = thrown_by([&, &parameters = parameters] { make_code("clay", parameters); });
    EXPECT_TRUE(std::string(error.what()).starts_with(begins_with)) << error.what();
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
  }
}

}  // namespace
}  // namespace ecbench::test
