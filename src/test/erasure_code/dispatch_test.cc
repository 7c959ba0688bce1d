// dispatch_scene.py has the levels of jerasure: GF-Complete chooses its kernels only once in a process.

#include "erasure_code/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/names.h"
#include "test/coded_object.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

std::vector<std::string> levels_of_isa() { return usable_dispatch_levels(registry().load("isa")); }

std::string refused_level(const std::string& level, const std::string& plugin) {
  return message_of([&] {
    const std::string technique = registry().load(plugin).techniques.front().name;
    Profile profile;
    if (!technique.empty()) profile.set("technique", technique);
    make_code(plugin, profile, {.dispatch = level});
  });
}

TEST(Dispatch, IsaGivesTheSameBytesAtEveryLevel) {
  for (const char* parameters :
       {"k=2 m=1", "k=9 m=1", "k=6 m=2", "k=8 m=4", "k=5 m=6 technique=cauchy", "k=3 m=7 technique=cauchy"}) {
    const auto native = make_code("isa", parameters);
    for (const std::string& level : levels_of_isa()) {
      const auto code = make_code("isa", parameters, {.dispatch = level});
      for (const std::size_t chunk_size : {1u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 127u, 1000u, 4096u, 4128u}) {
        SCOPED_TRACE(level + " " + parameters + " chunks of " + std::to_string(chunk_size));
        expect_same(encoded_chunks(*code, chunk_size), encoded_chunks(*native, chunk_size));
      }
    }
  }
}

TEST(Dispatch, IsaRecoversEveryLossAtEveryLevel) {
  for (const std::string& level : levels_of_isa()) {
    for (const char* parameters : {"k=3 m=1", "k=7 m=3", "k=8 m=4", "k=4 m=7 technique=cauchy", "k=4 m=3 mapping=_DD_D_D"}) {
      SCOPED_TRACE(level + " " + parameters);
      EXPECT_EQ(check_all_erasures(*make_code("isa", parameters, {.dispatch = level}), 2111), std::vector<Positions>());
    }
  }
}

TEST(Dispatch, TheKernelIsThatOfTheLevel) {
  const std::vector<std::string> levels = levels_of_isa();
  for (const auto& [level, kernel] :
       {std::pair("scalar", "ec_encode_data_base, xor_gen_base"), std::pair("ssse3", "ec_encode_data_sse, xor_gen_sse"),
        std::pair("avx2", "ec_encode_data_avx2, xor_gen_avx"), std::pair("avx2-gfni", "ec_encode_data_avx2_gfni, xor_gen_avx"),
        std::pair("avx512", "ec_encode_data_avx512, xor_gen_avx512"),
        std::pair("avx512-gfni", "ec_encode_data_avx512_gfni, xor_gen_avx512")}) {
    if (std::ranges::find(levels, level) == levels.end()) continue;
    EXPECT_EQ(info_of(*make_code("isa", "k=4 m=2", {.dispatch = level})).kernel(), kernel);
  }
}

// ecbench_scene.py has the names that mean a level.
TEST(Dispatch, OtherNamesMeanNoLevel) {
  for (const char* none :
       {"jerasure", "isa_generic", "jerasure_", "jerasure_neon", "_generic", "generic", "jerasure_generic_generic"}) {
    EXPECT_FALSE(plugin_alias(none)) << none;
  }
  EXPECT_NE(refused_level(native_dispatch, "isa_generic").find("plugin isa_generic does not exist"), std::string::npos);
}

TEST(Dispatch, ALevelAppliesToACodeAndItsInnerCodes) {
  const std::string native = info_of(*make_code("isa", "")).kernel();
  EXPECT_EQ(info_of(*make_code("isa", "", {.dispatch = "scalar"})).kernel(), "ec_encode_data_base, xor_gen_base");
  EXPECT_EQ(info_of(*make_code("isa", "")).kernel(), native);
  // No layer uses jerasure, because jerasure's dispatch level would also limit GF-Complete in the following tests of this process.
  const std::string layered = R"(mapping=DDDD____ layers=[["DDDDccc_","plugin=isa,technique=cauchy"],["DD_____c","plugin=isa"]])";
  const std::string kernel = info_of(*make_code("lrc", layered, {.dispatch = "scalar"})).kernel();
  EXPECT_NE(kernel.find("ec_encode_data_base"), std::string::npos) << kernel;
}

TEST(Dispatch, JerasureCannotBeLimitedOnceAFieldIsSetUp) {
  const auto code = make_code("jerasure", "technique=reed_sol_van k=4 m=2");
  if (info_of(*code).kernel().find("SSE") == std::string::npos)
    GTEST_SKIP() << "GF-Complete has only scalar kernels here: " << info_of(*code).kernel();
  EXPECT_NE(refused_level("scalar", "jerasure").find("is too late"), std::string::npos) << refused_level("scalar", "jerasure");
  EXPECT_EQ(refused_level(native_dispatch, "jerasure"), "");
}

}  // namespace
}  // namespace ecbench::test
