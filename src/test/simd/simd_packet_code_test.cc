// The packet codes of plugin simd.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/simd/codes.h"
#include "test/code_checks.h"
#include "test/conformance_data.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

using nlohmann::json;
using simd::XorKernel;

const std::set<std::string> packet_techniques{"cauchy_orig", "cauchy_good", "liberation", "blaum_roth", "liber8tion"};

struct NoPlugins : Plugins {
  std::unique_ptr<ErasureCode> code(const std::string& plugin, Profile&) override { throw Error("no plugin " + plugin); }
  ProductMaker products(const std::string& plugin) override { throw Error("no plugin " + plugin); }
};

/// As plugin simd makes it, but with `kernel`.
std::unique_ptr<ErasureCode> code_by(const XorKernel& kernel, Profile profile) {
  const auto make = [&](jerasure::PacketMatrix matrix, const jerasure::PacketLayout& layout, const Context&) {
    return simd::make_packet_code(matrix, layout, kernel);
  };
  for (const Technique& technique : jerasure::packet_techniques(make)) {
    if (technique.name != profile.text("technique")) continue;
    profile.complete(technique.parameters);
    NoPlugins none;
    return technique.make(profile, Context{.dispatch = native_dispatch, .others = none});
  }
  throw Error("no technique " + profile.text("technique"));
}

class SimdPacketCode : public testing::TestWithParam<const XorKernel*> {};

void expect_bytes_of_ceph(const std::function<std::unique_ptr<ErasureCode>(const Profile&)>& make) {
  const auto choose = [&](const json& line) {
    const Profile profile = profile_of(line);
    const bool has_packets = line.at("plugin") == "jerasure" && packet_techniques.contains(profile.text("technique"));
    return has_packets ? make(profile) : nullptr;
  };
  EXPECT_EQ(check_lines("corpus.jsonl", choose), 313);
  EXPECT_EQ(check_lines("golden.jsonl", choose), 109);
}

TEST_P(SimdPacketCode, HasTheBytesOfCeph) {
  expect_bytes_of_ceph([](const Profile& profile) { return code_by(*GetParam(), profile); });
}

TEST_P(SimdPacketCode, RecoversEveryLoss) {
  std::vector<std::string> profiles{"technique=cauchy_orig k=4 m=3 w=5 packetsize=33",
                                    "technique=cauchy_orig k=3 m=3 w=32 packetsize=8",
                                    "technique=cauchy_good k=5 m=5 w=29 packetsize=16",
                                    "technique=cauchy_good k=2 m=1 packetsize=1",
                                    "technique=liberation k=7 w=7 packetsize=104",
                                    "technique=liberation k=3 w=3 packetsize=520",
                                    "technique=liberation k=11 w=31 packetsize=64",
                                    "technique=blaum_roth k=6 w=6 packetsize=968",
                                    "technique=blaum_roth k=10 w=10 packetsize=64",
                                    "technique=liber8tion k=8 packetsize=100",
                                    "technique=cauchy_good k=4 m=2 packetsize=64 mapping=_DD_DD"};
  for (const std::string chunks : {" k=4 m=2", " k=6 m=2", " k=8 m=3", " k=8 m=4"}) {
    for (const char* w : {" w=4 packetsize=136", " w=8 packetsize=72", " w=16 packetsize=24"}) {
      profiles.push_back("technique=cauchy_good" + chunks + w);
    }
  }
  for (const std::string& parameters : profiles) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*code_by(*GetParam(), parsed_profile(parameters)), 3000), std::vector<Positions>());
  }
}

TEST_P(SimdPacketCode, UpdatesTheCodingChunksToThoseOfTheNewObject) {
  for (const char* parameters : {"technique=cauchy_orig k=4 m=3 w=5 packetsize=33", "technique=cauchy_good k=6 m=2 packetsize=576",
                                 "technique=cauchy_good k=5 m=5 w=29 packetsize=16", "technique=cauchy_good k=2 m=1 packetsize=1",
                                 "technique=liberation k=3 w=131 packetsize=520", "technique=blaum_roth k=6 w=6 packetsize=968"}) {
    SCOPED_TRACE(parameters);
    const auto code = code_by(*GetParam(), parsed_profile(parameters));
    check_parity_delta(*code, code->data_chunk_count());
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SimdPacketCode, testing::ValuesIn(all_xor_kernels()), kernel_name<XorKernel>);

TEST(SimdPacketCodes, OfThePluginHaveTheBytesOfCephAtEveryDispatchLevel) {
  const std::vector<std::string> levels = usable_dispatch_levels(registry().load("simd"));
  ASSERT_GE(levels.size(), 2u);
  for (const std::string& level : levels) {
    SCOPED_TRACE(level);
    expect_bytes_of_ceph([&](const Profile& profile) { return make_code("simd", profile, {.dispatch = level}); });
    if (level == native_dispatch) continue;
    EXPECT_EQ(info_of(*make_code("simd", "technique=liber8tion", {.dispatch = level})).kernel(), simd::xor_kernel_of(level).name);
  }
}

void expect_bytes_of_jerasure(const std::string& parameters, std::size_t object_size) {
  SCOPED_TRACE(parameters);
  const auto ours = make_code("simd", parameters);
  const auto theirs = make_code("jerasure", parameters);
  for (std::size_t size = 1; size < 300'000; size = size * 3 + 7) ASSERT_EQ(ours->chunk_size(size), theirs->chunk_size(size));
  expect_same(encoded(*ours, random_object(object_size)), encoded(*theirs, random_object(object_size)));
}

TEST(SimdPacketCodes, HaveTheBytesOfPluginJerasure) {
  for (int w = 2; w <= 32; w++) {
    for (const char* shape : {"k=2 m=1", "k=2 m=2", "k=5 m=3", "k=13 m=2", "k=7 m=5"}) {
      if (w < 4 && std::string(shape).starts_with("k=2") == false) continue;
      for (const char* technique : {"technique=cauchy_orig ", "technique=cauchy_good "}) {
        expect_bytes_of_jerasure(technique + std::string(shape) + " packetsize=8 w=" + std::to_string(w), 3000);
      }
    }
  }
  for (const int w : {3, 5, 7, 11, 13, 31, 257}) {
    for (int k = 2; k <= std::min(w, 14); k++) {
      const std::string rest = " packetsize=8 k=" + std::to_string(k) + " w=";
      expect_bytes_of_jerasure("technique=liberation" + rest + std::to_string(w), 3000);
      if (k <= w - 1 && w > 3) expect_bytes_of_jerasure("technique=blaum_roth" + rest + std::to_string(w - 1), 3000);
      if (w == 7) expect_bytes_of_jerasure("technique=blaum_roth" + rest + "7", 3000);
    }
  }
  for (int k = 2; k <= 8; k++) expect_bytes_of_jerasure("technique=liber8tion packetsize=24 k=" + std::to_string(k), 3000);
}

TEST(SimdPacketCodes, OfManyChunksHaveTheBytesOfPluginJerasure) {
  for (const char* parameters :
       {"technique=cauchy_good k=200 m=56 w=8 packetsize=8", "technique=cauchy_orig k=100 m=2 w=32 packetsize=8",
        "technique=cauchy_good k=254 m=2 w=8 packetsize=16", "technique=cauchy_good k=40 m=30 w=16 packetsize=8",
        "technique=liberation k=31 w=257 packetsize=8"}) {
    expect_bytes_of_jerasure(parameters, 100'000);
  }
}

// The first two decodes would need more scratch packets than an XOR program can have.
TEST(SimdPacketCodes, RecoverLossesOfManyPackets) {
  const auto code = make_code("simd", "technique=cauchy_good k=12 m=10 w=16 packetsize=64");
  const ChunkSet truth = encoded(*code, random_object(20'000));
  check_decode(*code, truth, {0, 1, 2, 3, 5, 7, 8, 9, 11, 20}, {0, 1, 2, 3, 5, 7, 8, 9, 11, 20});
  check_decode(*code, truth, {0, 1, 2, 3, 5, 7, 8, 9, 11, 20}, {3, 20});
  check_decode(*code, truth, {0, 1, 12, 21}, {21});
}

}  // namespace
}  // namespace ecbench::test
