// Plugin simd, and the plugins that use its kernels, have the bytes of other implementations.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "erasure_code/matrix.h"
#include "erasure_code/registry.h"
#include "plugins/simd/recovery.h"
#include "plugins/simd/rs_code.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"
#include "test/directories.h"
#include "test/simd/simd_kernels.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

// For two groups of profiles in src/test/data, plugin simd must compute the same bytes as Ceph: the profiles of plugin isa, and the
// profiles of jerasure's Reed-Solomon techniques in GF(2^8). The dispatch levels that this CPU supports are tested through the
// plugin. The kernels of these levels, and the emulated kernels of other levels (simd_kernels.h), are also tested without the
// plugin.

using nlohmann::json;
/// Returns the profile that computes the bytes of a line, or nothing if the line is not checked.
using ChooseProfile = std::function<std::optional<Profile>(const json&)>;
using MakeCode = std::function<std::unique_ptr<ErasureCode>(const Profile&)>;

bool is_reed_solomon_of_bytes(const json& line) {
  if (line.at("plugin") == "isa") return true;
  const Profile profile = profile_of(line);
  const bool has_bytes = profile.text("w").empty() || profile.text("w") == "8";
  return line.at("plugin") == "jerasure" && profile.text("technique").starts_with("reed_sol_") && has_bytes;
}

/// The profile with which plugin simd computes the bytes of `line`. For reed_sol_r6_op, two parameters are removed. Plugin jerasure
/// ignores them for this technique, so they do not change the bytes.
Profile profile_of_simd(const json& line) {
  Profile profile = profile_of(line);
  if (profile.text("technique") == "reed_sol_r6_op") {
    for (const char* ignored : {"packetsize", "jerasure-per-chunk-alignment"}) profile.erase(ignored);
  }
  if (line.at("plugin") == "jerasure") profile.set("matrix", "jerasure");
  return profile;
}

std::optional<Profile> reed_solomon_of_bytes(const json& line) {
  if (!is_reed_solomon_of_bytes(line)) return {};
  return profile_of_simd(line);
}

/// Checks every line of `file` for which `choose` returns a profile. Returns the number of these lines.
int check_lines(const std::string& file, const MakeCode& make, const ChooseProfile& choose = reed_solomon_of_bytes) {
  int lines = 0;
  for (const json& line : conformance_lines(file)) {
    const std::optional<Profile> profile = choose(line);
    if (!profile) continue;
    SCOPED_TRACE(line.at("plugin").get<std::string>() + line.at("profile").dump());
    const auto code = make(*profile);
    const std::size_t size = line.at("object_size");
    check_chunks(*code, line, file == "corpus.jsonl" ? corpus_object(size) : golden_object(size));
    lines++;
  }
  return lines;
}

void check_all_lines(const MakeCode& make) {
  EXPECT_EQ(check_lines("corpus.jsonl", make), 111 + 108 + 36);
  EXPECT_EQ(check_lines("golden.jsonl", make), 75 + 64 + 20);
}

/// Makes the same code as plugin simd, but with `kernel`, which may be emulated. registry.make() first adds the default
/// values to `profile`.
std::unique_ptr<ErasureCode> code_by(const simd::Kernel& kernel, Registry& registry, Profile profile) {
  const auto of_plugin = registry.make("simd", profile);
  const int k = of_plugin->data_chunk_count();
  const int m = of_plugin->coding_chunk_count();
  const bool is_van_of_jerasure = profile.text("technique") == "reed_sol_van" && profile.text("matrix") == "jerasure";
  const bool is_cauchy = profile.text("technique") == "cauchy";
  return std::make_unique<simd::RsCode>(
      simd::Design{.shape = {.data_chunk_count = k, .chunk_count = k + m},
                   .coding_rows = is_van_of_jerasure ? vandermonde_coding_matrix(GaloisField(8), k, m)
                                                     : (is_cauchy ? simd::isa_cauchy(k, m) : simd::isa_vandermonde(k, m)),
                   .is_cauchy = is_cauchy && m > 1,
                   .chunk_multiple = profile.text("jerasure-per-chunk-alignment") == "true" ? 128u : 32u,
                   .kernel = &kernel});
}

class SimdConformance : public testing::TestWithParam<const simd::Kernel*> {};

TEST_P(SimdConformance, HasTheBytesOfCeph) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  check_all_lines([&](const Profile& profile) { return code_by(*GetParam(), registry, profile); });
}

INSTANTIATE_TEST_SUITE_P(Kernels, SimdConformance, testing::ValuesIn(all_kernels()),
                         [](const testing::TestParamInfo<const simd::Kernel*>& kernel) {
                           std::string name = cpu_has_dispatch_level(kernel.param->level) ? "" : "emulated ";
                           name += kernel.param->level;
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           return name;
                         });

TEST(SimdPlugin, HasTheBytesOfCephAtEveryLevelOfThisCpu) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  for (const std::string& level : usable_dispatch_levels(registry.load("simd"))) {
    SCOPED_TRACE(level);
    check_all_lines([&](Profile profile) { return registry.make("simd", profile, {.dispatch = level}); });
  }
}

TEST(SimdPlugin, ComputesTheBytesOfCauchyInBothWays) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  for (const std::string transform : {"direct", "fft"}) {
    int lines = 0;
    for (const char* file : {"corpus.jsonl", "golden.jsonl"}) {
      lines += check_lines(
          file, [&](Profile profile) { return registry.make("simd", profile); },
          [&](const json& line) -> std::optional<Profile> {
            Profile profile = profile_of_simd(line);
            if (line.at("plugin") != "isa" || profile.text("technique") != "cauchy") return {};
            const int k = std::stoi(line.at("profile").value("k", "7"));
            if (transform == "fft" && (k % 2 != 0 || line.at("profile").value("m", "3") == "1")) return {};
            profile.set("transform", transform);
            return profile;
          });
    }
    EXPECT_EQ(lines, transform == "fft" ? 40 : 91);
  }
}

// Tests codes of other plugins with backend=simd, that is, with the kernels of plugin simd. These codes must compute the same bytes
// and recover the same losses as with their default backend.

struct Based {
  std::string plugin;
  std::string parameters;
};

void PrintTo(const Based& based, std::ostream* out) { *out << based.plugin << " " << based.parameters; }

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
bool is_small(const Based& based) { return make_code(based.plugin, based.parameters)->chunk_count() <= 8; }

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
