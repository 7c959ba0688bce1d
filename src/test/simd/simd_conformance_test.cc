// Plugin simd, and the plugins that use its kernels, have the bytes of other implementations.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "erasure_code/dispatch.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"

namespace ecbench::test {
namespace {

// For two groups of profiles in src/test/data, plugin simd must compute the same bytes as Ceph: the profiles of plugin isa, and the
// profiles of jerasure's Reed-Solomon techniques in GF(2^8).

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

TEST(SimdPlugin, HasTheBytesOfCephAtEveryLevelOfThisCpu) {
  for (const std::string& level : usable_dispatch_levels(registry().load("simd"))) {
    SCOPED_TRACE(level);
    const auto make = [&](const Profile& profile) { return make_code("simd", profile, {.dispatch = level}); };
    EXPECT_EQ(check_lines("corpus.jsonl", make), 111 + 108 + 36);
    EXPECT_EQ(check_lines("golden.jsonl", make), 75 + 64 + 20);
  }
}

TEST(SimdPlugin, ComputesTheBytesOfCauchyInBothWays) {
  for (const std::string transform : {"direct", "fft"}) {
    int lines = 0;
    for (const char* file : {"corpus.jsonl", "golden.jsonl"}) {
      lines += check_lines(
          file, [](const Profile& profile) { return make_code("simd", profile); },
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

std::vector<Profiled> shec_profiles() {
  std::vector<Profiled> all;
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

std::vector<Profiled> clay_profiles() {
  std::vector<Profiled> all;
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

std::vector<Profiled> lrc_profiles() {
  std::vector<Profiled> all;
  for (const char* parameters :
       {"k=4 m=2 l=3", "k=6 m=2 l=4", "k=8 m=4 l=3", "k=8 m=4 l=6", "k=12 m=4 l=8", "k=4 m=2 l=6",
        R"(mapping=DDDDDD___ layers=[["DDDDDDcc_",""],["DDD_____c","plugin=isa"]])",
        R"(mapping=DDDD____ layers=[["DDDDccc_","plugin=isa,technique=cauchy"],["DD_____c","plugin=shec,c=1"]])",
        R"(mapping=_DD_DD_ layers=[["cDDcDD_","technique=reed_sol_r6_op"],["_DD___c",""]])"}) {
    all.push_back({"lrc", parameters});
  }
  return all;
}

std::vector<Profiled> all_profiles() {
  std::vector<Profiled> all = shec_profiles();
  for (const auto& profiles : {clay_profiles(), lrc_profiles()}) all.insert(all.end(), profiles.begin(), profiles.end());
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

/// The number of sub-chunks that are read from each chunk.
std::map<int, int> counted(const ReadSet& reads) {
  std::map<int, int> counts;
  for (const auto& [position, runs] : reads) {
    for (const auto& run : runs) counts[position] += run.count;
  }
  return counts;
}

TEST(SimdBackend, RebuildsOneChunkFromTheSameReads) {
  for (const Profiled& profiled :
       {Profiled{"clay", "k=4 m=2"}, {"clay", "k=6 m=3 d=7"}, {"lrc", "k=8 m=4 l=3"}, {"shec", "k=6 m=4 c=3"}}) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    const auto ours = make_code(profiled.plugin, profiled.parameters + " backend=simd");
    const auto theirs = make_code(profiled.plugin, profiled.parameters);
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
