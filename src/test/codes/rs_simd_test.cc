// Tests the plugin rs-simd, which runs the Rust crate reed-solomon-simd.

#include <gtest/gtest.h>

#include <algorithm>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/coded_object.h"
#include "test/contender_checks.h"
#include "test/directories.h"

namespace ecbench::test {
namespace {

class RsSimd : public ContenderTest {
 protected:
  RsSimd() : ContenderTest("rs-simd", "cargo") {}

  static std::unique_ptr<ErasureCode> code_at(const std::string& level, const std::string& parameters) {
    Registry registry(plugin_directory(), [](const std::string&) {});
    Profile profile;
    std::istringstream in(parameters);
    for (std::string parameter; in >> parameter;) profile.add(parameter);
    return registry.make("rs-simd", profile, {.dispatch = level});
  }

  static std::vector<std::string> levels() {
    Registry registry(plugin_directory(), [](const std::string&) {});
    return usable_dispatch_levels(registry.load("rs-simd"));
  }
};

TEST_F(RsSimd, RebuildsEveryLossOfUpToEightChunks) {
  for (int n = 2; n <= 8; n++) check_all_losses("rs-simd", "", n);
}

TEST_F(RsSimd, RebuildsEveryLossOfNineChunks) { check_all_losses("rs-simd", "", 9); }

TEST_F(RsSimd, RebuildsEveryLossOfTenChunks) { check_all_losses("rs-simd", "", 10); }

TEST_F(RsSimd, RebuildsObjectsOfAllSizes) {
  const auto code = make_code("rs-simd", "k=5 m=3");
  for (const std::size_t size : {1, 4, 5, 64, 320, 321, 4095, 4096, 100'003}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(code->chunk_size(size), round_up((size + 4) / 5, 64));
    EXPECT_EQ(check_all_erasures(*code, size), std::vector<Positions>());
  }
}

TEST_F(RsSimd, RebuildsOnlyWantedChunks) {
  check_partial_wishes(*make_code("rs-simd", "k=4 m=4"));
  check_partial_wishes(*make_code("rs-simd", "k=2 m=5"));
}

TEST_F(RsSimd, ServesTwoThreadsAtATime) { check_two_threads(*make_code("rs-simd", "k=6 m=3")); }

// Creates, uses and deletes several codes. Each thread keeps separate working memory for each code that it runs. A code must not
// use the working memory of another code.
TEST_F(RsSimd, ManyCodesCanExistTogether) {
  std::vector<std::unique_ptr<ErasureCode>> codes;
  for (int round = 0; round < 3; round++) {
    for (const char* parameters : {"k=6 m=2", "k=2 m=6", "k=4 m=4"}) codes.push_back(make_code("rs-simd", parameters));
    codes.erase(codes.begin());
    for (const auto& code : codes) {
      const ChunkSet truth = encoded(*code, random_object(5000));
      check_decode(*code, truth, {0, 7}, {0, 7});
    }
  }
}

// The crate and klauspost implement Leopard's code over GF(2^16). K is k rounded up to a power of two, and M is m rounded up to a
// power of two. If M is larger than K, the crate uses another variant of this code. This test contains only k and m for which M is
// not larger than K.
TEST_F(RsSimd, HasTheBytesOfKlauspostsLeopard) {
  if (!is_built("klauspost")) GTEST_SKIP() << "plugin klauspost is not built; to build it, install go and run 'make contenders'";
  for (const std::string parameters :
       {"k=2 m=1", "k=4 m=2", "k=6 m=2", "k=8 m=4", "k=10 m=4", "k=5 m=5", "k=7 m=5", "k=100 m=30"}) {
    SCOPED_TRACE(parameters);
    const ChunkSet ours = encoded(*make_code("rs-simd", parameters), random_object(20'000));
    const auto leopard = make_code("klauspost", parameters + " technique=leopard_gf16");
    const ChunkSet theirs = encoded(*leopard, random_object(20'000));
    for (const int position : all_positions(*leopard))
      EXPECT_TRUE(std::ranges::equal(ours[position], theirs[position])) << position;
  }
}

TEST_F(RsSimd, EveryEngineMakesTheSameBytes) {
  for (const char* parameters : {"k=6 m=2", "k=3 m=5", "k=20 m=9"}) {
    const ChunkSet truth = encoded(*code_at("scalar", parameters), random_object(20'000));
    for (const std::string& level : levels()) {
      const auto code = code_at(level, parameters);
      const ChunkSet chunks = encoded(*code, random_object(20'000));
      for (const int position : all_positions(*code)) EXPECT_TRUE(std::ranges::equal(chunks[position], truth[position])) << level;
      check_decode(*code, truth, {0, 1}, all_positions(*code));
    }
  }
}

TEST_F(RsSimd, TheKernelIsTheEngineThatRuns) {
  const std::map<std::string, std::string> engines{{"scalar", "NoSimd"}, {"ssse3", "Ssse3"}, {"avx2", "Avx2"}};
  std::string widest;
  for (const std::string level : {"scalar", "ssse3", "avx2"}) {
    if (!cpu_has_dispatch_level(level)) continue;
    widest = "engine " + engines.at(level) + " of reed-solomon-simd";
    EXPECT_EQ(info_of(*code_at(level, "k=6 m=2")).kernel(), widest);
  }
  EXPECT_EQ(info_of(*code_at(native_dispatch, "k=6 m=2")).kernel(), widest);
  EXPECT_THROW(code_at("avx512", "k=6 m=2"), Error);
}

TEST_F(RsSimd, TakesManyChunks) {
  const auto code = make_code("rs-simd", "k=1000 m=200");
  const ChunkSet truth = encoded(*code, random_object(100'000));
  check_decode(*code, truth, {0, 500, 999, 1000, 1199}, all_positions(*code));
}

TEST_F(RsSimd, RefusesUnsupportedParameters) {
  for (const std::string parameters : {"k=65536 m=1", "k=40000 m=40000", "k=40000 m=20000", "k=0 m=2", "k=4 m=0", "k=x m=2"}) {
    const std::string refusal = refusal_of("rs-simd", parameters);
    EXPECT_NE(refusal.find(" is not allowed: "), std::string::npos) << refusal;
  }
}

TEST_F(RsSimd, NamesTheVersionsOfTheCrateAndOfRust) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  const Plugin& plugin = registry.load("rs-simd");
  EXPECT_EQ(plugin.name, "rs-simd");
  EXPECT_NE(plugin.summary.find("reed-solomon-simd 3.1.0, rustc 1."), std::string::npos) << plugin.summary;
}

}  // namespace
}  // namespace ecbench::test
