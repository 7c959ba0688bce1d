// The plugins of klauspost, rs-erasure, rs-simd and rusty_erasure. Their tests are skipped if the plugins are not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "test/code_checks.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

struct Contender {
  std::string plugin;
  std::string technique;  ///< "" for the only or default technique
  bool recovers_every_loss = true;
  std::vector<std::string> refused = {};  ///< parameters
};

const std::vector<Contender> contenders{
    {"klauspost", "technique=vandermonde", true, {"k=0 m=2", "k=4 m=0", "k=256 m=1", "k=200 m=57", "k=x m=2"}},
    {"klauspost", "technique=cauchy", true, {"k=255 m=2"}},
    {"klauspost", "technique=par1", false},
    {"klauspost", "technique=leopard_gf8", true, {"k=200 m=33", "k=65 m=129"}},
    {"klauspost", "technique=leopard_gf16"},
    {"rs-erasure", "", true, {"k=200 m=57", "k=0 m=2", "k=4 m=0", "k=256 m=1", "k=-1 m=2", "k=x m=2"}},
    {"rs-simd", "", true, {"k=65536 m=1", "k=40000 m=40000", "k=40000 m=20000", "k=0 m=2", "k=4 m=0", "k=x m=2"}},
    {"rusty_erasure", "", false, {"k=30 m=5", "k=0 m=2", "k=4 m=0", "k=255 m=255", "k=20 m=6"}},
    {"rusty_erasure", "technique=cauchy", true, {"k=200 m=56"}},
};

void check_same_chunks(const ErasureCode& one, const ErasureCode& other) {
  for (const std::size_t chunk_size : {64u, 128u, 192u, 1024u, 4096u, 40'000u}) {
    const std::vector<std::uint8_t> object = random_object(index(one.data_chunk_count()) * chunk_size);
    expect_same(encoded(one, object), encoded(other, object));
  }
}

class EveryContender : public ContenderTest, public testing::WithParamInterface<Contender> {
 protected:
  EveryContender() : ContenderTest(GetParam().plugin) {}

  static std::unique_ptr<ErasureCode> code(int k, int m, const Limits& limits = {}) {
    return make_code(GetParam().plugin, GetParam().technique + shape(k, m), limits);
  }

  static void check_losses(int n) {
    for (int m = 1; m < n && GetParam().recovers_every_loss; m++) {
      SCOPED_TRACE(shape(n - m, m));
      EXPECT_EQ(check_all_erasures(*code(n - m, m), 1000), std::vector<Positions>()) << "refused";
    }
  }
};

TEST_P(EveryContender, RebuildsEveryLossOfUpToEightChunks) {
  for (int n = 2; n <= 8; n++) check_losses(n);
}

TEST_P(EveryContender, RebuildsEveryLossOfNineAndTenChunks) {
  for (int n = 9; n <= 10; n++) check_losses(n);
}

TEST_P(EveryContender, RebuildsObjectsOfAllSizes) {
  const auto made = code(5, 3);
  for (const std::size_t size : {1, 4, 5, 64, 320, 321, 4095, 4096, 100'003, 700'000}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(made->chunk_size(size), round_up((size + 4) / 5, 64));
    EXPECT_EQ(check_all_erasures(*made, size), std::vector<Positions>());
  }
}

TEST_P(EveryContender, RebuildsOnlyWantedChunks) {
  if (!GetParam().recovers_every_loss) return;
  for (const auto& [k, m] : {std::pair(4, 4), std::pair(2, 5), std::pair(1, 3)}) check_partial_wishes(*code(k, m));
}

TEST_P(EveryContender, HasTheSameBytesAtEveryLevelOfDispatch) {
  for (const std::string& level : usable_dispatch_levels(registry().load(GetParam().plugin))) {
    for (const auto& [k, m] : {std::pair(1, 1), std::pair(6, 2), std::pair(12, 4), std::pair(4, 12), std::pair(20, 5)}) {
      if (GetParam().plugin == "rusty_erasure" && m > 3) continue;
      SCOPED_TRACE(level + shape(k, m));
      const auto made = code(k, m, {.dispatch = level});
      check_same_chunks(*made, *code(k, m));
      check_decode(*made, encoded(*made, random_object(20'000)), m > 1 ? Positions{0, 1} : Positions{0}, all_positions(*made));
      EXPECT_NE(info_of(*made).kernel(), "");
    }
  }
}

TEST_P(EveryContender, RefusesUnsupportedParameters) {
  for (const std::string& parameters : GetParam().refused) {
    const std::string refusal = refusal_of([&] { make_code(GetParam().plugin, GetParam().technique + " " + parameters); });
    EXPECT_NE(refusal.find(" is not allowed: "), std::string::npos) << refusal;
  }
}

INSTANTIATE_TEST_SUITE_P(Contenders, EveryContender, testing::ValuesIn(contenders),
                         [](const testing::TestParamInfo<Contender>& contender) {
                           std::string name = contender.param.plugin + contender.param.technique;
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           return name;
                         });

// The crate rs-simd and klauspost implement Leopard's code over GF(2^16). If m, rounded up to a power of two, is larger than k,
// rounded up likewise, the crate uses another variant of this code. This table contains no such k and m.
TEST(Contenders, HaveTheBytesOfOtherPlugins) {
  for (const auto& [ours, theirs, shapes] : std::vector<std::tuple<Profiled, Profiled, std::vector<std::pair<int, int>>>>{
           {{"klauspost", "technique=cauchy"},
            {"isa", "technique=cauchy"},
            {{2, 2}, {4, 2}, {6, 2}, {8, 4}, {10, 4}, {3, 7}, {12, 12}, {20, 5}, {200, 32}}},
           {{"klauspost", ""}, {"rs-erasure", ""}, {{1, 1}, {2, 1}, {4, 2}, {6, 2}, {8, 4}, {10, 4}, {3, 7}, {20, 5}, {200, 56}}},
           {{"rs-erasure", ""}, {"simd", "technique=vandermonde"}, {{1, 1}, {6, 2}, {8, 4}, {3, 7}, {20, 10}}},
           {{"rusty_erasure", ""}, {"isa", ""}, {{6, 2}, {6, 3}}},
           {{"rusty_erasure", "technique=cauchy"}, {"isa", "technique=cauchy"}, {{10, 4}}},
           {{"rs-simd", ""},
            {"klauspost", "technique=leopard_gf16"},
            {{2, 1}, {4, 2}, {6, 2}, {8, 4}, {10, 4}, {5, 5}, {7, 5}, {100, 30}}}}) {
    if (!is_built(ours.plugin) || !is_built(theirs.plugin)) continue;
    for (const auto& [k, m] : shapes) {
      SCOPED_TRACE(ours.plugin + " " + ours.parameters + shape(k, m));
      check_same_chunks(*make_code(ours.plugin, ours.parameters + shape(k, m)),
                        *make_code(theirs.plugin, theirs.parameters + shape(k, m)));
    }
  }
}

TEST(Contenders, TakeManyChunks) {
  for (const auto& [plugin, shape, erased] : std::vector<std::tuple<std::string, std::string, Positions>>{
           {"rs-erasure", "k=200 m=56", {0, 99, 199, 200, 255}}, {"rs-simd", "k=1000 m=200", {0, 500, 999, 1000, 1199}}}) {
    if (!is_built(plugin)) continue;
    const auto code = make_code(plugin, shape);
    check_decode(*code, encoded(*code, random_object(100'000)), erased, all_positions(*code));
  }
}

struct Klauspost : ContenderTest {
  Klauspost() : ContenderTest("klauspost") {}
};

TEST_F(Klauspost, Par1RefusesSomeLossesButNoSingleLoss) {
  int refused = 0;
  for (int n = 2; n <= 10; n++) {
    for (int m = 1; m < n; m++) {
      const auto code = make_code("klauspost", "technique=par1" + shape(n - m, m));
      SCOPED_TRACE("technique=par1" + shape(n - m, m));
      for (const Positions& lost : check_all_erasures(*code, 1000)) {
        refused++;
        EXPECT_GE(lost.size(), 2u) << "a single loss is always recovered";
      }
    }
  }
  EXPECT_GT(refused, 0) << "the matrix of PAR1 has singular submatrices";
}

// For large chunks, Leopard over GF(2^8) caches the plan of each loss, and may use it for another loss of more chunks. The plugin
// must prevent this (library/main.go).
TEST_F(Klauspost, RebuildsLargeChunksAfterASmallerLoss) {
  for (const std::string shape : {"k=8 m=4", "k=5 m=5", "k=3 m=8"}) {
    EXPECT_EQ(check_all_erasures(*make_code("klauspost", "technique=leopard_gf8 " + shape), 150'000), std::vector<Positions>())
        << shape;
  }
}

TEST_F(Klauspost, LevelScalarRunsGo) {
  const auto code = make_code("klauspost", "k=4 m=2", {.dispatch = "scalar"});
  EXPECT_NE(info_of(*code).kernel().find("in Go"), std::string::npos) << info_of(*code).kernel();
}

TEST_F(Klauspost, DoesNotChangeSignalHandlers) {
  make_code("klauspost", "k=4 m=2");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << "signal " << signal;
  }
}

struct RustyErasure : ContenderTest {
  RustyErasure() : ContenderTest("rusty_erasure") {}
};

TEST_F(RustyErasure, RebuildsEveryLossOfAllowedVandermondeCodes) {
  for (const char* shape : {"k=4 m=2", "k=6 m=3", "k=10 m=3", "k=5 m=4"}) {
    EXPECT_EQ(check_all_erasures(*make_code("rusty_erasure", shape), 1000), std::vector<Positions>()) << shape;
  }
}

struct RsSimd : ContenderTest {
  RsSimd() : ContenderTest("rs-simd") {}
};

// Each thread has working memory for each code that it runs.
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

TEST_F(RsSimd, TheKernelIsTheEngineThatRuns) {
  const std::map<std::string, std::string> engines{{"scalar", "NoSimd"}, {"ssse3", "Ssse3"}, {"avx2", "Avx2"}};
  std::string widest;
  for (const std::string level : {"scalar", "ssse3", "avx2"}) {
    if (!cpu_has_dispatch_level(level)) continue;
    widest = "engine " + engines.at(level) + " of reed-solomon-simd";
    EXPECT_EQ(info_of(*make_code("rs-simd", "k=6 m=2", {.dispatch = level})).kernel(), widest);
  }
  EXPECT_EQ(info_of(*make_code("rs-simd", "k=6 m=2")).kernel(), widest);
  EXPECT_THROW(make_code("rs-simd", "k=6 m=2", {.dispatch = "avx512"}), Error);
}

TEST_F(RsSimd, NamesTheVersionsOfTheCrateAndOfRust) {
  const std::string& summary = registry().load("rs-simd").summary;
  EXPECT_NE(summary.find("reed-solomon-simd 3.1.0, rustc 1."), std::string::npos) << summary;
}

}  // namespace
}  // namespace ecbench::test
