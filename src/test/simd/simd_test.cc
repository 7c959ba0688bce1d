// The codes of plugin simd, and those of other plugins that use its kernels, have the bytes of other implementations; its updates
// of coding chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "erasure_code/dispatch.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"
#include "test/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

/// Codes of other plugins. Plugin simd must compute the same bytes.
std::vector<Profiled> twins(int k, int m) {
  const std::string reed_sol_van = "technique=reed_sol_van" + shape(k, m);
  std::vector<Profiled> all{{"isa", "technique=cauchy" + shape(k, m)},
                            {"jerasure", reed_sol_van},
                            {"jerasure", reed_sol_van + " jerasure-per-chunk-alignment=true"}};
  if (m <= 4) all.push_back({"isa", reed_sol_van});
  if (m == 2) all.push_back({"jerasure", "technique=reed_sol_r6_op" + shape(k, m)});
  return all;
}

void expect_all_rebuilt(const ErasureCode& code) {
  const ChunkSet truth = encoded_chunks(code, 70);
  ChunkSet chunks = encoded_chunks(code, 70);
  for (const Positions& erased : erasure_patterns(code.chunk_count(), code.coding_chunk_count())) {
    for (const int position : erased) std::ranges::fill(chunks[position], std::uint8_t{0xee});
    code.decode(*code.plan_uncached(erased, erased), chunks.pointers(), chunks.chunk_size());
    for (const int position : erased) {
      ASSERT_TRUE(std::ranges::equal(chunks[position], truth[position])) << "chunk " << position << " of " << erased.size();
    }
  }
  expect_same(chunks, truth);
}

std::vector<std::string> levels() { return usable_dispatch_levels(registry().load("simd")); }

/// The parameter of these tests is k.
class SimdTwins : public testing::TestWithParam<int> {};

// A chunk has steps of several vectors and of one, and a rest that is shorter, for vectors of 32 and of 64 bytes.
TEST_P(SimdTwins, HaveTheSameBytesAndSizesAtEveryLevelAndAreRebuilt) {
  constexpr std::size_t chunk_size = 256 + 64 + 40;
  const int k = GetParam();
  for (int m = 1; m <= 6; m++) {
    for (const Profiled& twin : twins(k, m)) {
      SCOPED_TRACE(testing::PrintToString(twin));
      const auto theirs = make_code(twin.plugin, twin.parameters);
      const ChunkSet truth = encoded_chunks(*theirs, chunk_size);
      for (const std::string& level : levels()) {
        SCOPED_TRACE(level);
        const auto ours = make_code("simd", twin.parameters + " matrix=" + twin.plugin, {.dispatch = level});
        expect_same(encoded_chunks(*ours, chunk_size), truth);
        for (std::size_t size = 1; size < 3000; size += 31) ASSERT_EQ(ours->chunk_size(size), theirs->chunk_size(size)) << size;
        if (k + m <= 12) expect_all_rebuilt(*ours);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, SimdTwins, testing::Range(2, 13));

TEST(SimdLosses, AreRebuiltByEveryKernel) {
  for (const simd::Kernel* kernel : all_kernels()) {
    for (const auto& [k, m] : {std::pair{2, 1}, {2, 2}, {6, 2}, {5, 3}, {6, 4}, {14, 2}}) {
      for (const Matrix& rows :
           {simd::isa_vandermonde(k, m), simd::isa_cauchy(k, m), vandermonde_coding_matrix(GaloisField(8), k, m)}) {
        SCOPED_TRACE(testing::Message() << kernel->name << ' ' << k << '+' << m);
        expect_all_rebuilt(*simd::make_rs_code({.shape = {.data_chunk_count = k, .chunk_count = k + m},
                                                .coding_rows = rows,
                                                .is_cauchy = m > 1 && rows == simd::isa_cauchy(k, m),
                                                .kernel = kernel}));
      }
    }
  }
}

TEST(Simd, TwinsOfManyChunksHaveTheSameBytesAndAreRebuilt) {
  std::mt19937 random(256);
  for (const auto& [parameters, plugin] : {std::pair{"technique=cauchy k=224 m=32", "isa"},
                                           {"technique=cauchy k=250 m=6", "isa"},
                                           {"technique=cauchy k=3 m=32", "isa"},
                                           {"technique=reed_sol_van k=32 m=3", "isa"},
                                           {"technique=reed_sol_van k=21 m=4", "isa"},
                                           {"technique=reed_sol_van k=250 m=6", "jerasure"},
                                           {"technique=reed_sol_van k=100 m=28", "jerasure"}}) {
    const ChunkSet truth = encoded_chunks(*make_code(plugin, parameters), 160);
    for (const std::string& level : levels()) {
      SCOPED_TRACE(parameters + (" " + level));
      const auto ours = make_code("simd", std::string(parameters) + " matrix=" + plugin, {.dispatch = level});
      expect_same(encoded_chunks(*ours, 160), truth);
      for (int round = 0; round < 3; round++) {
        const Positions erased = some_of(all_positions(*ours), index(ours->coding_chunk_count()), random);
        check_decode(*ours, truth, erased, erased);
      }
    }
  }
}

TEST(Simd, WritesOnlyWantedChunksAndReadsNoLostChunk) {
  for (const char* parameters : {"k=6 m=3", "k=5 m=4 technique=cauchy", "k=7 m=3 matrix=jerasure", "k=6 technique=reed_sol_r6_op",
                                 "k=3 m=5 matrix=jerasure", "k=4 m=2 mapping=_DD_DD store=streaming", "k=12 m=1"}) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code("simd", parameters), 3000), std::vector<Positions>());
  }
}

TEST(Simd, PutsChunksWhereTheMappingSays) {
  for (const char* parameters : {"k=4 m=2 mapping=_DD_DD", "k=4 m=2 mapping=DD__DD technique=cauchy"}) {
    const std::vector<std::uint8_t> object = random_object(5000);
    expect_same(encoded(*make_code("simd", parameters), object), encoded(*make_code("isa", parameters), object));
  }
}

TEST(Simd, StoresTheSameBytesInEveryWay) {
  const std::vector<std::uint8_t> object = random_object(3 << 20);  // larger than the L2 cache of some CPUs
  const ChunkSet truth = encoded(*make_code("simd", "k=5 m=3 store=temporal"), object);
  for (const char* store : {"streaming", "auto"}) {
    expect_same(encoded(*make_code("simd", std::string("k=5 m=3 store=") + store), object), truth);
  }
}

constexpr int columns = 6;

void check(const simd::Kernel& kernel, const Matrix& matrix, const std::vector<int>& changed, std::size_t size) {
  const std::size_t targets = 2 * changed.size();  // the old and new bytes of each changed source, then the targets
  FencedChunks memory(static_cast<int>(targets) + matrix.rows, size);
  const std::vector<std::uint8_t*>& chunks = memory.place(size, true);
  const std::vector<std::uint8_t> random = random_object(chunks.size() * size);
  const auto before = [&](std::size_t chunk) { return std::span(random).subspan(chunk * size, size); };
  for (std::size_t i = 0; i < chunks.size(); i++) std::ranges::copy(before(i), chunks[i]);
  std::vector<simd::Change> changes;
  for (std::size_t i = 0; i < changed.size(); i++) changes.push_back({index(changed[i]), chunks[2 * i], chunks[2 * i + 1]});
  simd::Multiplication(kernel, matrix).update(changes, std::span(chunks).subspan(targets), size);
  for (int row = 0; row < matrix.rows; row++) {
    const std::size_t target = targets + index(row);
    for (std::size_t i = 0; i < size; i++) {
      std::uint8_t expected = before(target)[i];
      for (std::size_t j = 0; j < changed.size(); j++) {
        const auto delta = static_cast<std::uint8_t>(before(2 * j)[i] ^ before(2 * j + 1)[i]);
        expected ^= ByteField::get().multiply(static_cast<std::uint8_t>(matrix.at(row, changed[j])), delta);
      }
      ASSERT_EQ(chunks[target][i], expected) << kernel.name << ", " << matrix.rows << " rows, " << changed.size()
                                             << " changes, byte " << i << " of " << size;
    }
    ASSERT_TRUE(memory.is_whole(target));
  }
}

TEST(SimdUpdate, AddsTheProductsOfAllDeltasAlsoInBlocksOfLongChunks) {
  for (const simd::Kernel* kernel : all_kernels()) {
    for (int rows = 1; rows <= 6; rows++) {
      for (const simd::Form form : {simd::Form::general, simd::Form::ones_row}) {
        const Matrix matrix = random_matrix(rows, columns, form);
        for (const std::vector<int>& changed :
             {std::vector<int>{}, {3}, {5, 0}, {1, 2, 4}, {0, 1, 2, 3}, {0, 5, 1, 4, 2}, {5, 4, 3, 2, 1, 0}}) {
          for (const std::size_t size : {0, 1, 15, 31, 32, 63, 64, 65, 128, 191, 300}) check(*kernel, matrix, changed, size);
        }
      }
    }
    for (const int rows : {2, 6}) {
      check(*kernel, random_matrix(rows, columns, simd::Form::ones_row), {1, 0, 2, 4, 3}, (64 << 10) + 100);
    }
  }
}

using nlohmann::json;

/// For the profiles of isa, and those of jerasure's Reed-Solomon techniques in GF(2^8).
std::optional<Profile> profile_of_simd(const json& line) {
  const std::string plugin = line.at("plugin");
  Profile profile = profile_of(line);
  const std::string technique = profile.text("technique");
  if (plugin == "jerasure") {
    const bool has_bytes = profile.text("w").empty() || profile.text("w") == "8";
    if (!technique.starts_with("reed_sol_") || !has_bytes) return {};
    profile.set("matrix", "jerasure");
  } else if (plugin != "isa") {
    return {};
  }
  if (technique == "reed_sol_r6_op") {  // plugin jerasure ignores these parameters
    for (const char* ignored : {"packetsize", "jerasure-per-chunk-alignment"}) profile.erase(ignored);
  }
  return profile;
}

TEST(SimdPlugin, HasTheBytesOfCephAtEveryLevelOfThisCpu) {
  for (const std::string& level : levels()) {
    SCOPED_TRACE(level);
    const auto choose = [&](const json& line) {
      const std::optional<Profile> profile = profile_of_simd(line);
      return profile ? make_code("simd", *profile, {.dispatch = level}) : nullptr;
    };
    EXPECT_EQ(check_lines("corpus.jsonl", choose), 111 + 108 + 36);
    EXPECT_EQ(check_lines("golden.jsonl", choose), 75 + 64 + 20);
  }
}

std::vector<Profiled> all_profiles() {
  std::vector<Profiled> all;
  for (int k = 2; k <= 12; k++) {
    for (int m = 1; m <= k && k + m <= 20; m++) {
      for (int c = 1; c <= m; c++) {
        all.push_back({"shec", shape(k, m) + " c=" + std::to_string(c)});
        all.push_back({"shec", all.back().parameters + " technique=single"});
      }
    }
  }
  for (int k = 2; k <= 7; k++) {
    for (int m = 1; k + m <= 8; m++) {
      for (int d = k; d < k + m; d++) all.push_back({"clay", shape(k, m) + " d=" + std::to_string(d)});
    }
  }
  for (const char* parameters :
       {"k=10 m=2 d=11", "k=9 m=3 d=11", "k=8 m=4 d=10", "k=6 m=5 d=9", "k=5 m=2 scalar_mds=isa",
        "k=4 m=3 d=5 scalar_mds=isa technique=cauchy", "k=4 m=2 technique=reed_sol_r6_op", "k=4 m=2 scalar_mds=shec",
        "k=4 m=2 scalar_mds=shec technique=multiple", "k=6 m=3 d=8 scalar_mds=shec"}) {
    all.push_back({"clay", parameters});
  }
  for (const char* parameters :
       {"k=4 m=2 l=3", "k=6 m=2 l=4", "k=8 m=4 l=3", "k=8 m=4 l=6", "k=12 m=4 l=8", "k=4 m=2 l=6",
        R"(mapping=DDDDDD___ layers=[["DDDDDDcc_",""],["DDD_____c","plugin=isa"]])",
        R"(mapping=DDDD____ layers=[["DDDDccc_","plugin=isa,technique=cauchy"],["DD_____c","plugin=shec,c=1"]])",
        R"(mapping=_DD_DD_ layers=[["cDDcDD_","technique=reed_sol_r6_op"],["_DD___c",""]])"}) {
    all.push_back({"lrc", parameters});
  }
  return all;
}

TEST(SimdBackend, GivesTheSameBytesAndRecoversTheSameLosses) {
  for (const Profiled& profiled : all_profiles()) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    const auto ours = make_code(profiled.plugin, profiled.parameters + " backend=simd");
    const auto theirs = make_code(profiled.plugin, profiled.parameters);
    expect_same(encoded(*ours, random_object(20'011)), encoded(*theirs, random_object(20'011)));
    if (ours->chunk_count() <= 8) {
      EXPECT_EQ(check_all_erasures(*ours, 300), check_all_erasures(*theirs, 300));
    }
  }
}

TEST(SimdBackend, RebuildsOneChunkFromTheSameReads) {
  for (const Profiled& profiled :
       {Profiled{"clay", "k=4 m=2"}, {"clay", "k=6 m=3 d=7"}, {"lrc", "k=8 m=4 l=3"}, {"shec", "k=6 m=4 c=3"}}) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    const auto ours = make_code(profiled.plugin, profiled.parameters + " backend=simd");
    const auto theirs = make_code(profiled.plugin, profiled.parameters);
    const ChunkSet truth = encoded(*theirs, random_object(5000));
    for (const int lost : all_positions(*ours)) {
      EXPECT_EQ(testing::PrintToString(checked_reads(*ours, truth, lost)),
                testing::PrintToString(checked_reads(*theirs, truth, lost)));
    }
  }
}

TEST(SimdBackend, CanAlsoBeTheScalarCode) {
  for (const auto& [over, under] : {std::pair{"k=4 m=2", "scalar_mds=isa"}, {"k=5 m=3 d=6 technique=cauchy", "scalar_mds=isa"}}) {
    const auto ours = make_code("clay", std::string(over) + " scalar_mds=simd");
    const auto theirs = make_code("clay", std::string(over) + " " + under);
    expect_same(encoded(*ours, random_object(5000)), encoded(*theirs, random_object(5000)));
    EXPECT_EQ(check_all_erasures(*ours, 300), std::vector<Positions>());
  }
}

TEST(SimdBackend, IsRefusedInOtherFields) {
  expect_refused("shec", "k=4 m=2 c=1 w=16 backend=simd");
  expect_refused("clay", "k=4 m=2 technique=cauchy_good backend=simd");
}

}  // namespace
}  // namespace ecbench::test
