// Ceph as the truth: its bytes, and the profiles that it refuses; and coding chunks after parity deltas.

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/code_checks.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"
#include "test/directories.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

using nlohmann::json;

/// The parameter of these tests is a plugin.
class ConformanceOf : public testing::TestWithParam<std::string> {
 protected:
  /// The code of the line; null if it belongs to another plugin.
  static std::unique_ptr<ErasureCode> code_of(const json& line) {
    return line.at("plugin") == GetParam() ? make_code(GetParam(), profile_of(line)) : nullptr;
  }

  /// Runs `check` on every line of reads.jsonl that belongs to this plugin, with its code and chunks.
  static void each_line_of_reads(const auto& check) {
    for (const json& line : conformance_lines("reads.jsonl")) {
      const std::unique_ptr<ErasureCode> code = code_of(line);
      if (code == nullptr) continue;
      SCOPED_TRACE(line.at("profile").dump());
      check(line, *code, encoded(*code, random_object(2000)));
    }
  }
};

TEST_P(ConformanceOf, EncodesThePublishedCorpusOfCeph) { check_lines("corpus.jsonl", code_of); }

TEST_P(ConformanceOf, EncodesWhatThePluginsOfCeph16Encode) {
  check_lines("golden.jsonl", [](const json& line) {
    std::unique_ptr<ErasureCode> code = code_of(line);
    if (code == nullptr) return code;
    EXPECT_EQ(code->data_chunk_count(), line.at("k").get<int>());
    EXPECT_EQ(code->chunk_count(), line.at("n").get<int>());
    EXPECT_EQ(code->sub_chunk_count(), line.at("sub_chunks").get<int>());
    const auto mapping = line.at("mapping").get<std::vector<int>>();  // for Ceph's lrc, the mapping includes the coding chunks
    for (int j = 0; j < std::min(code->data_chunk_count(), static_cast<int>(mapping.size())); j++) {
      EXPECT_EQ(code->position(ChunkNumber{j}), mapping[static_cast<std::size_t>(j)]) << "data chunk " << j;
    }
    return code;
  });
}

json json_of(const ReadSet& reads) {
  json result = json::object();
  for (const auto& [position, runs] : reads) {
    for (const SubChunkRun& run : runs) result[std::to_string(position)].push_back({run.first, run.count});
  }
  return result;
}

/// The number of sub-chunks in the read set `reads`, which has the format of an element of "min1" in reads.jsonl.
int sub_chunks(const json& reads) {
  int sum = 0;
  for (const auto& [position, runs] : reads.items()) {
    for (const json& run : runs) sum += run.at(1).get<int>();
  }
  return sum;
}

// Codes of lrc and clay may read fewer sub-chunks than Ceph. The other codes must read the same.
TEST_P(ConformanceOf, ReadsNoMoreThanCephToRebuildOneChunk) {
  const bool may_read_less = GetParam() == "lrc" || GetParam() == "clay";
  each_line_of_reads([&](const json& line, const ErasureCode& code, const ChunkSet& truth) {
    ASSERT_EQ(line.at("min1").size(), static_cast<std::size_t>(code.chunk_count()));
    for (int lost = 0; lost < code.chunk_count(); lost++) {
      const json reads = json_of(checked_reads(code, truth, lost));
      const json& of_ceph = line.at("min1").at(static_cast<std::size_t>(lost));
      EXPECT_TRUE(may_read_less ? sub_chunks(reads) <= sub_chunks(of_ceph) : reads == of_ceph)
          << "lost " << lost << ": ecbench reads " << reads << ", Ceph reads " << of_ceph;
    }
  });
}

TEST_P(ConformanceOf, RecoversWhatCephRecovers) {
  each_line_of_reads([](const json& line, const ErasureCode& code, const ChunkSet&) {
    const std::vector<Positions> refused = check_erasures(code, 2000, std::min(2, code.coding_chunk_count()));
    const std::ptrdiff_t n = code.chunk_count();
    for (const std::size_t count : {1u, 2u}) {
      const json& of_ceph = line.at("decode" + std::to_string(count));
      if (of_ceph.is_null()) continue;  // the code has only one coding chunk
      const auto refusals = std::ranges::count(refused, count, &Positions::size);
      EXPECT_GE((count == 1 ? n : n * (n - 1) / 2) - refusals, of_ceph.at(0).get<int>()) << "losses of " << count << " chunks";
    }
  });
}

const std::vector<std::string> cephs_plugins{"jerasure", "isa", "shec", "lrc", "clay"};

INSTANTIATE_TEST_SUITE_P(Plugins, ConformanceOf, testing::ValuesIn(cephs_plugins), [](const auto& plugin) { return plugin.param; });

TEST(Conformance, EveryLineIsOfAPluginThatIsTested) {
  for (const auto& [file, count] : {std::pair("corpus.jsonl", 759u), {"golden.jsonl", 491u}, {"reads.jsonl", 99u}}) {
    const std::vector<json> lines = conformance_lines(file);
    EXPECT_EQ(lines.size(), count);
    for (const json& line : lines)
      EXPECT_NE(std::ranges::find(cephs_plugins, line.at("plugin").get<std::string>()), cephs_plugins.end());
  }
}

/// The message of the refusal, or "" if the profile is accepted. `profile` is a Profile, or text such as "k=4 m=2".
std::string refusal(const std::string& plugin, const auto& profile) {
  const std::optional<Error> error = error_of([&] { make_code(plugin, profile); });
  EXPECT_TRUE(!error || error->kind() == Error::Kind::bad_input);
  return error ? error->what() : "";
}

bool names_a_parameter(const std::string& message, const Profile& profile) {
  return std::ranges::any_of(profile.values(),
                             [&](const auto& value) { return message.starts_with(value.first + "=" + value.second + " "); });
}

TEST(RefusedProfiles, ThoseOfCephAreRefusedOrWork) {
  std::vector<std::string> accepted;
  int checked = 0;
  for (const json& line : conformance_lines("rejected.jsonl")) {
    const std::string plugin = line.at("plugin");
    SCOPED_TRACE(plugin + line.at("profile").dump());
    checked++;
    const std::string message = refusal(plugin, profile_of(line));
    if (message.empty()) {
      accepted.push_back(line.at("profile").dump());
      std::vector<Positions> refused = check_all_erasures(*make_code(plugin, profile_of(line)), 5000);
      if (plugin == "shec") std::erase_if(refused, [](const Positions& erased) { return erased.size() > 2; });
      EXPECT_EQ(refused, std::vector<Positions>()) << "shec must recover the loss of any c=2 chunks";
    } else {
      EXPECT_TRUE(message.find("plugin " + plugin) != std::string::npos || names_a_parameter(message, profile_of(line))) << message;
    }
  }
  EXPECT_EQ(checked, 30 + 6 + 9 + 13 + 10 + 1) << "lines of jerasure, isa, shec, clay, lrc and nope";
  EXPECT_EQ(accepted, std::vector<std::string>({R"({"d":"4","k":"4","m":"2"})",
                                                R"({"d":"5","k":"4","m":"2","scalar_mds":"jerasure","technique":"liberation"})",
                                                R"({"k":"4","m":"2","packetsize":"3","technique":"cauchy_good"})",
                                                R"({"c":"2","k":"4"})", R"({"c":"2","m":"3"})"}));
}

TEST(RefusedProfiles, TheCodeIsCorrectIfCephAborts) {
  int checked = 0;
  for (const json& line : conformance_lines("aborts.jsonl")) {
    SCOPED_TRACE(line.dump());
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    const auto object_size = line.at("object_size").get<std::size_t>();
    const int word_size = code->chunk_size(1) == 4096 ? 4096 : 16 * std::stoi(line.at("profile").at("w").get<std::string>());
    EXPECT_EQ(code->chunk_size(object_size), static_cast<std::size_t>(word_size)) << "the smallest chunk";
    EXPECT_EQ(check_all_erasures(*code, object_size), std::vector<Positions>());
    checked++;
  }
  EXPECT_EQ(checked, 6);
}

TEST(RefusedProfiles, ControlCharactersAreRefusedAndLineBreaksAreSpaces) {
  for (const std::string text : {"reed_sol_van\x1b[2J", "a\x7f", "a\x01"}) {
    EXPECT_NE(refusal("jerasure", Profile({{"k", "4"}, {"m", "2"}, {"technique", "reed_sol_van"}, {"ruleset-root", text}})), "");
    EXPECT_NE(refusal("jerasure", Profile({{"k", "4"}, {"m", "2"}, {"ruleset-" + text, "default"}})), "");
  }
  const std::string layers = "[\n\t[ \"_cDD_cDD\", \"\" ],\n[ \"cDDD____\", \"\" ],\r\n[ \"____cDDD\", \"\" ]\n]";
  Profile profile({{"mapping", "__DD__DD"}, {"layers", layers}});
  EXPECT_NE(registry().make("lrc", profile), nullptr);
  EXPECT_EQ(profile.text("layers").find_first_of("\n\t\r"), std::string::npos);
}

// Each list begins with plugins and common parameters. The message names the last parameter.
TEST(RefusedProfiles, LimitsOfTheCodesAndOfTheirLibraries) {
  for (const auto& [plugins, common, refused] :
       std::vector<std::tuple<std::vector<std::string>, std::string, std::vector<std::string>>>{
           {{"jerasure"},
            "technique=reed_sol_van ",
            {"k=1", "k=-4", "m=0", "m=3 k=254", "m=3 w=16 k=254", "k=99999999999999999999", "w=9", "w=64",
             "k=4 m=2 mapping=DDDD__D"}},
           {{"jerasure"}, "technique=reed_sol_r6_op ", {"m=1", "k=255"}},
           {{"jerasure", "simd"},
            "technique=cauchy_good ",
            {"w=1", "w=33", "m=2 w=2 k=3", "packetsize=0", "packetsize=-8", "packetsize=268435456",
             "k=4 m=2 w=7 packetsize=20 jerasure-per-chunk-alignment=true", "jerasure-per-chunk-alignment=1"}},
           {{"jerasure", "simd"},
            "technique=liberation ",
            {"m=1", "w=2", "w=4", "w=263", "w=7 k=8", "k=40 w=257", "packetsize=6", "w=7 packetsize=306783380"}},
           {{"jerasure", "simd"}, "technique=blaum_roth ", {"w=2", "w=3", "w=8", "packetsize=2"}},
           {{"jerasure", "simd"}, "technique=liber8tion ", {"k=9", "w=4", "w=7", "m=3"}},
           {{"simd"},
            "",
            {"store=never", "matrix=klauspost", "m=57 matrix=jerasure k=200", "matrix=isa w=16",
             "jerasure-per-chunk-alignment=true", "k=22 m=4", "k=6 m=5", "technique=cauchy matrix=jerasure",
             "technique=reed_sol_r6_op matrix=isa", "technique=reed_sol_r6_op m=3", "k=1", "m=0"}},
           {{"simd"}, "technique=cauchy ", {"m=57 k=200", "transform=fast", "k=7 m=3 transform=fft", "k=8 m=1 transform=fft"}},
           {{"simd"}, "technique=vandermonde ", {"k=9 m=4 transform=fft", "m=57 k=200"}},
           {{"simd"}, "technique=leopard_gf8 ", {"k=8 m=1 transform=fft", "m=65 k=129"}},
           {{"isa"}, "", {"k=33", "m=5", "technique=liberation", "k=2 m=1 mapping=DDD"}},
           {{"isa"}, "technique=cauchy ", {"m=33", "m=3 k=254"}},
           {{"replication"}, "", {"size=1", "size=0", "size=257", "size=two"}},
           {{"shec"},
            "",
            {"k=13", "m=9 c=2 k=12", "k=3 m=4", "m=11", "c=4", "w=7", "w=16 backend=isa", "backend=example", "backend=shec",
             "k=4 m=2 c=1 w=16 backend=isa"}},
           {{"shec"}, "technique=single ", {"c=2 l=2", "l=0", "l=5", "k=4 m=3 l=1", "c=4"}},
           {{"clay"},
            "",
            {"k=4 m=2 d=6", "k=4 m=2 d=3", "k=1", "m=0", "m=10 d=259 k=250", "m=53 d=230 k=200", "scalar_mds=nope",
             "scalar_mds=clay", "scalar_mds=example", "scalar_mds=replication", "k=20 m=5 scalar_mds=isa",
             "technique=reed_sol_r6_op m=3 scalar_mds=jerasure", "k=30 m=4 d=33", "scalar_mds=shec technique=reed_sol_van",
             "technique=cauchy_good backend=isa", "backend=shec", "backend=nope"}},
           {{"lrc"},
            "",
            {"k=8 m=4 l=4", "k=16 m=4 l=4", "k=4 m=2 l=0", "k=5 m=2 l=3", "m=2 k=4", "l=3", "m=2 l=2 k=0", "m=50 l=5 k=200",
             "k=4 m=2 l=3 mapping=DD__DD__", "k=4 m=2 l=3 backend=example", "mapping=DD_", "layers=[[\"DDc\",\"\"]] mapping=___",
             R"(mapping=DD__ layers=[["DDcc","w=16"]] backend=isa)", R"(mapping=DD__ layers=[["DDc_",""]])",
             R"(mapping=DDD_ layers=[["DD_c",""]])", R"(mapping=DD_ layers=[["DDc",""],["DDc","plugin=isa"]])",
             R"(mapping=DDD_ layers=[["DDc_",""],["DDDc",""]])", R"(mapping=DD__ layers=[["DDDc",""],["DDc_",""]])"}},
           {{"lrc"},
            "mapping=DD_ ",
            {R"(layers=[["DDc",""])", "layers={}", "layers=[]", R"(layers=["DDc"])", "layers=[[]]", "layers=[[1,2]]",
             R"(layers=[["DDc",3]])", R"(layers=[["DDc","isa"]])", R"(layers=[["DDc",{"w":[]}]])", R"(layers=[["DDc_",""]])",
             R"(layers=[["DDC",""]])", R"(layers=[["DDc","plugin=nope"]])", R"(layers=[["DDc","w=7"]])",
             R"(layers=[["DDc","k=3"]])", R"(layers=[["DDc","mapping=_DD"]])"}}}) {
    for (const std::string& plugin : plugins) {
      for (const std::string& parameters : refused) {
        if (is_built(plugin)) expect_refused(plugin, common + parameters);
      }
    }
  }
}

TEST(RefusedProfiles, UnknownParametersAreRefusedWithASuggestion) {
  for (const auto& [plugin, parameters, ends_with] : std::vector<std::array<std::string, 3>>{
           {"jerasure", "technique=cauchy_good packet_size=64",
            "plugin jerasure with technique cauchy_good has no parameter packet_size; did you "
            "mean packetsize?"},
           {"jerasure", "technique=reed_sol_van packet_size=64", "did you mean packetsize?"},
           {"isa", "K=4", "did you mean k?"},
           {"isa", "colour=red", "no parameter colour; allowed: k, m, mapping, technique"},
           {"example", "technique=cauchy", "plugin example has no parameter technique; allowed: k, m"},
           {"lrc", "k=4 m=2 l=3 layer=x", "did you mean layers?"},
           {"clay", "scalar-mds=isa", "did you mean scalar_mds?"},
           {"isa", "stripe-unit=4096", "did you mean stripe_unit?"},
           {"lrc", R"(mapping=DD_ layers=[["DDc","packetsiz=64"]])", "did you mean packetsize?"}}) {
    const std::string message = refusal(plugin, parameters);
    EXPECT_TRUE(message.ends_with(ends_with)) << plugin << " " << parameters << ": '" << message << "'";
  }
}

TEST(RefusedProfiles, KeysOfCephsProfilesAreAccepted) {
  for (const auto& [plugin, parameters] : std::vector<std::pair<std::string, std::string>>{
           {"isa",
            "crush-device-class= crush-failure-domain=host crush-root=default k=2 m=1 technique=reed_sol_van stripe_unit=4096"},
           {"jerasure", "technique=reed_sol_van crush-root=default jerasure-per-chunk-alignment=false k=2 m=2 w=8"},
           {"jerasure", "technique=reed_sol_r6_op jerasure-per-chunk-alignment=true packetsize=32 k=2 m=2"},
           {"lrc", "crush-locality=rack crush-steps=x ruleset-root=default k=4 m=2 l=3"},
           {"isa", "w=8 jerasure-per-chunk-alignment=false packetsize=2048"},
           // lrc passes k and m to the plugin of every layer.
           {"lrc", R"(mapping=D__ layers=[["Dcc","plugin=replication"]])"}}) {
    EXPECT_EQ(refusal(plugin, parameters), "") << plugin << " " << parameters;
  }
}

TEST(RefusedProfiles, ParametersOfCephsProfilesThatATechniqueLacksAreIgnoredWithAWarning) {
  for (const auto& [plugin, parameter, as_ceph] :
       {std::tuple("jerasure", "packetsize", false), {"isa", "packetsize", false}, {"isa", "w", false}, {"isa", "colour", true}}) {
    std::vector<std::string> warnings;
    Registry registry(plugin_directory(), [&](const std::string& warning) { warnings.push_back(warning); });
    if (as_ceph) registry.ignore_unknown_parameters();
    Profile profile({{"technique", "reed_sol_van"}, {"k", "3"}, {parameter, "8"}});
    EXPECT_EQ(registry.make(plugin, profile)->data_chunk_count(), 3);
    EXPECT_FALSE(profile.has(parameter));
    ASSERT_EQ(warnings.size(), 1u);
    const std::string plugin_and_technique = std::string(plugin) + " with technique reed_sol_van";
    EXPECT_NE(warnings[0].find(plugin_and_technique + " has no parameter " + parameter), std::string::npos) << warnings[0];
  }
}

TEST(RefusedProfiles, ParametersOfOtherTechniquesAreRefused) {
  for (const char* parameters :
       {"technique=reed_sol_van transform=direct", "technique=vandermonde matrix=isa", "technique=cauchy_good store=temporal"}) {
    EXPECT_TRUE(refusal("simd", parameters).starts_with("parameter ")) << parameters;
  }
}

/// Those of every_technique(), and codes with other shapes, packets and mappings.
std::vector<Profiled> updatable_profiles() {
  std::vector<Profiled> profiles = profiles_of({
#ifdef ECBENCH_SIMD
      {"simd",
       {"k=5 m=1", "k=5 m=2", "k=5 m=4", "k=5 m=3 matrix=jerasure", "k=4 m=2 mapping=_DD_DD",
        "technique=cauchy_good k=4 m=3 packetsize=9 w=4", "technique=cauchy_good k=5 m=4 packetsize=72",
        "technique=cauchy_good k=4 m=2 packetsize=64 mapping=_DD_DD", "technique=liberation k=4 m=2 w=7 packetsize=520",
        "technique=liberation k=3 m=2 w=131 packetsize=8"}},
#endif
      {"isa", {"k=2 m=1", "k=5 m=1 technique=cauchy", "k=4 m=6 technique=cauchy"}},
      {"replication", {"size=2"}},
      {"jerasure",
       {"technique=reed_sol_van k=2 m=1", "technique=cauchy_good k=4 m=3 packetsize=8 w=4",
        "technique=blaum_roth k=4 m=2 w=6 packetsize=40", "technique=liber8tion k=4 m=2 packetsize=24"}},
      {"shec", {"k=4 m=2 c=1 w=32"}}});
  for (const Profiled& profiled : every_technique()) {
    if (!is_built(profiled.plugin)) continue;
    const auto code = make_code(profiled.plugin, profiled.parameters);
    if (code->parity_delta() != nullptr && code->chunk_count() <= 20) profiles.push_back(profiled);
  }
  return profiles;
}

TEST(ParityDelta, UpdatesTheCodingChunksToThoseOfTheNewObject) {
  for (const Profiled& profiled : updatable_profiles()) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    const auto code = make_code(profiled.plugin, profiled.parameters);
    ASSERT_NE(code->parity_delta(), nullptr);
    check_parity_delta(*code, code->data_chunk_count());
  }
}

TEST(ParityDelta, HasScratchMemoryForAWholeBlockOfLargePackets) {
  for (const char* packetsize : {"64", "150000000"}) {
    const auto code = make_code("jerasure", std::string("k=2 m=2 technique=cauchy_good packetsize=") + packetsize);
    const ParityDelta& delta = *code->parity_delta();
    EXPECT_GE(delta.scratch_size(delta.granularity()), delta.granularity()) << packetsize;
  }
}

TEST(ParityDelta, IsNullIfTheCodeHasNone) { EXPECT_EQ(make_code("example", "")->parity_delta(), nullptr); }

}  // namespace
}  // namespace ecbench::test
