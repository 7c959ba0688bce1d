// Tests codes of other plugins with backend=simd, that is, with the kernels of plugin simd. These codes must compute the same bytes
// and recover the same losses as with their default backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "test/coded_object.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

struct Based {
  std::string plugin;
  std::string parameters;
};

void PrintTo(const Based& based, std::ostream* out) {
  *out << based.plugin << " " << based.parameters;
}

std::vector<Based> shec_profiles() {
  std::vector<Based> all;
  for (int k = 2; k <= 12; k++) {
    for (int m = 1; m <= k && k + m <= 20; m++) {
      for (int c = 1; c <= m; c++) {
        all.push_back({"shec", "k=" + std::to_string(k) + " m=" + std::to_string(m) + " c=" + std::to_string(c)});
        all.push_back({"shec", all.back().parameters + " technique=single"});
      }
    }
  }
  return all;
}

std::vector<Based> clay_profiles() {
  std::vector<Based> all;
  for (int k = 2; k <= 7; k++) {
    for (int m = 1; k + m <= 8; m++) {
      for (int d = k; d < k + m; d++) {
        all.push_back({"clay", "k=" + std::to_string(k) + " m=" + std::to_string(m) + " d=" + std::to_string(d)});
      }
    }
  }
  for (const char* parameters :
       {"k=10 m=2 d=11", "k=9 m=3 d=11", "k=8 m=4 d=10", "k=6 m=5 d=9", "k=5 m=2 scalar_mds=isa",
        "k=4 m=3 d=5 scalar_mds=isa technique=cauchy", "k=4 m=2 technique=reed_sol_r6_op", "k=4 m=2 scalar_mds=shec",
        "k=4 m=2 scalar_mds=shec technique=multiple", "k=6 m=3 d=8 scalar_mds=shec"}) {
    all.push_back({"clay", parameters});
  }
  return all;
}

std::vector<Based> lrc_profiles() {
  std::vector<Based> all;
  for (const char* parameters :
       {"k=4 m=2 l=3", "k=6 m=2 l=4", "k=8 m=4 l=3", "k=8 m=4 l=6", "k=12 m=4 l=8", "k=4 m=2 l=6",
        R"(mapping=DDDDDD___ layers=[["DDDDDDcc_",""],["DDD_____c","plugin=isa"]])",
        R"(mapping=DDDD____ layers=[["DDDDccc_","plugin=isa,technique=cauchy"],["DD_____c","plugin=shec,c=1"]])",
        R"(mapping=_DD_DD_ layers=[["cDDcDD_","technique=reed_sol_r6_op"],["_DD___c",""]])"}) {
    all.push_back({"lrc", parameters});
  }
  return all;
}

void expect_same_bytes(const Based& based) {
  SCOPED_TRACE(testing::PrintToString(based));
  const auto ours = make_code(based.plugin, based.parameters + " backend=simd");
  const ChunkSet expected = encoded(*make_code(based.plugin, based.parameters), random_object(20'011));
  const ChunkSet chunks = encoded(*ours, random_object(20'011));
  ASSERT_EQ(chunks.chunk_size(), expected.chunk_size());
  for (const int position : all_positions(*ours)) EXPECT_TRUE(std::ranges::equal(chunks[position], expected[position])) << position;
}

TEST(SimdBackend, GivesTheSameBytes) {
  for (const auto& profiles : {shec_profiles(), clay_profiles(), lrc_profiles()}) {
    for (const Based& based : profiles) expect_same_bytes(based);
  }
}

/// Whether the code has at most 8 chunks, so that all losses can be tested.
bool is_small(const Based& based) {
  return make_code(based.plugin, based.parameters)->chunk_count() <= 8;
}

TEST(SimdBackend, RecoversTheSameLosses) {
  for (const auto& profiles : {shec_profiles(), clay_profiles(), lrc_profiles()}) {
    for (const Based& based : profiles) {
      if (!is_small(based)) continue;
      SCOPED_TRACE(testing::PrintToString(based));
      EXPECT_EQ(check_all_erasures(*make_code(based.plugin, based.parameters + " backend=simd"), 300),
                check_all_erasures(*make_code(based.plugin, based.parameters), 300));
    }
  }
}

/// The number of sub-chunks that are read from each chunk.
std::map<int, int> counted(const ReadSet& reads) {
  std::map<int, int> counts;
  for (const auto& [position, runs] : reads) {
    for (const auto& run : runs) counts[position] += run.count;
  }
  return counts;
}

TEST(SimdBackend, RebuildsOneChunkFromTheSameReads) {
  for (const Based& based : {Based{"clay", "k=4 m=2"}, {"clay", "k=6 m=3 d=7"}, {"lrc", "k=8 m=4 l=3"}, {"shec", "k=6 m=4 c=3"}}) {
    SCOPED_TRACE(testing::PrintToString(based));
    const auto ours = make_code(based.plugin, based.parameters + " backend=simd");
    const auto theirs = make_code(based.plugin, based.parameters);
    const ChunkSet truth = encoded(*theirs, random_object(5000));
    for (const int lost : all_positions(*ours)) {
      EXPECT_EQ(counted(checked_reads(*ours, truth, lost)), counted(checked_reads(*theirs, truth, lost))) << lost;
    }
  }
}

// The scalar code of clay may also be a code of plugin simd.
TEST(SimdBackend, CanAlsoBeTheScalarCode) {
  for (const auto& [over, under] : {std::pair{"k=4 m=2", "scalar_mds=isa"}, {"k=5 m=3 d=6 technique=cauchy", "scalar_mds=isa"}}) {
    const auto ours = make_code("clay", std::string(over) + " scalar_mds=simd");
    const auto theirs = make_code("clay", std::string(over) + " " + under);
    const ChunkSet truth = encoded(*theirs, random_object(5000));
    const ChunkSet chunks = encoded(*ours, random_object(5000));
    for (const int position : all_positions(*ours)) EXPECT_TRUE(std::ranges::equal(chunks[position], truth[position])) << over;
    EXPECT_EQ(check_all_erasures(*ours, 300), std::vector<Positions>());
  }
}

TEST(SimdBackend, IsRefusedInOtherFields) {
  for (const auto& [plugin, parameters] : {std::pair{"shec", "k=4 m=2 c=1 w=16"}, {"clay", "k=4 m=2 technique=cauchy_good"}}) {
    const std::string with_simd = std::string(parameters) + " backend=simd";
    const std::string message = thrown_by([&, &plugin = plugin] { make_code(plugin, with_simd); }).what();
    EXPECT_TRUE(message.starts_with("backend=simd is not allowed")) << with_simd << ": " << message;
  }
}

}  // namespace
}  // namespace ecbench::test
