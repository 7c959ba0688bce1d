// The plugins of klauspost, rs-erasure, rs-simd and rusty_erasure. Their tests are skipped if the plugins are not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/matrix.h"
#include "test/code_checks.h"
#include "test/linear_algebra.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

std::string shape(int k, int m) { return " k=" + std::to_string(k) + " m=" + std::to_string(m); }

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

/// Checks that two codes compute the same chunks for objects of several sizes.
void check_same_chunks(const ErasureCode& one, const ErasureCode& other) {
  for (const std::size_t chunk_size : {64u, 128u, 192u, 1024u, 4096u, 40'000u}) {
    const std::vector<std::uint8_t> object = random_object(index(one.data_chunk_count()) * chunk_size);
    expect_same(encoded(one, object), encoded(other, object));
  }
}

class EveryContender : public testing::TestWithParam<Contender> {
 protected:
  void SetUp() override {
    if (!is_built(GetParam().plugin)) GTEST_SKIP() << "plugin " << GetParam().plugin << " is not built; run 'make contenders'";
  }

  static std::unique_ptr<ErasureCode> code(int k, int m, const Limits& limits = {}) {
    return make_code(GetParam().plugin, GetParam().technique + shape(k, m), limits);
  }

  /// Checks every loss of every code with `n` chunks.
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

TEST_P(EveryContender, ServesTwoThreadsAtATime) { check_two_threads(*code(6, 3), 2); }

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

class Klauspost : public ContenderTest {
 protected:
  Klauspost() : ContenderTest("klauspost", "go") {}
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

// If chunks are large, Leopard over GF(2^8) caches the decode plan of each loss. For a later loss of more chunks, Leopard may by
// mistake use a cached plan of another loss. The plugin must prevent this (library/main.go).
TEST_F(Klauspost, RebuildsLargeChunksAfterASmallerLoss) {
  for (const auto& [k, m] : {std::pair(8, 4), std::pair(5, 5), std::pair(3, 8)}) {
    SCOPED_TRACE(shape(k, m));
    EXPECT_EQ(check_all_erasures(*make_code("klauspost", "technique=leopard_gf8" + shape(k, m)), 150'000),
              std::vector<Positions>());
  }
}

TEST_F(Klauspost, CauchyHasTheBytesOfIsa) {
  for (const auto& [k, m] : {std::pair(2, 2), std::pair(4, 2), std::pair(6, 2), std::pair(8, 4), std::pair(10, 4), std::pair(3, 7),
                             std::pair(12, 12), std::pair(20, 5), std::pair(200, 32)}) {
    SCOPED_TRACE(shape(k, m));
    check_same_chunks(*make_code("klauspost", "technique=cauchy" + shape(k, m)),
                      *make_code("isa", "technique=cauchy" + shape(k, m)));
  }
  const ChunkSet ours = encoded_chunks(*make_code("klauspost", "technique=cauchy k=4 m=1"), 1024);
  const ChunkSet theirs = encoded_chunks(*make_code("isa", "technique=cauchy k=4 m=1"), 1024);
  EXPECT_FALSE(std::ranges::equal(ours[4], theirs[4])) << "with one coding chunk, isa has the XOR";
}

TEST_F(Klauspost, DefaultTechniqueHasTheBytesOfRsErasure) {
  if (!is_built("rs-erasure")) GTEST_SKIP() << "plugin rs-erasure is not built";
  for (const auto& [k, m] : {std::pair(1, 1), std::pair(2, 1), std::pair(4, 2), std::pair(6, 2), std::pair(8, 4), std::pair(10, 4),
                             std::pair(3, 7), std::pair(20, 5), std::pair(200, 56)}) {
    SCOPED_TRACE(shape(k, m));
    check_same_chunks(*make_code("klauspost", shape(k, m)), *make_code("rs-erasure", shape(k, m)));
  }
}

TEST_F(Klauspost, RefusesATechniqueThatItDoesNotHave) { expect_refused("klauspost", "k=4 m=2 technique=reed_sol_van"); }

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

class RsErasure : public ContenderTest {
 protected:
  RsErasure() : ContenderTest("rs-erasure", "cargo") {}
};

/// Returns the product of a Vandermonde matrix and the inverse of its first k rows. Row r of the Vandermonde matrix is r^0, r^1,
/// ..., r^(k-1). The first k rows of the product are the identity matrix.
Rows systematic_vandermonde(int k, int n) {
  const GaloisField field(8);
  Matrix matrix(n, k);
  Matrix top(k, k);
  for (int row = 0; row < n; row++) {
    Element power = 1;
    for (int column = 0; column < k; column++) {
      matrix.at(row, column) = power;
      if (row < k) top.at(row, column) = power;
      power = field.multiply(power, static_cast<Element>(row));
    }
  }
  const Matrix systematic = product(field, matrix, inverse(field, top).value());
  Rows rows(index(n));
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < k; column++) rows[index(row)].push_back(systematic.at(row, column));
  }
  return rows;
}

TEST_F(RsErasure, IsTheSystematicVandermondeCode) {
  for (const auto& [k, n] : {std::pair(1, 2), std::pair(6, 8), std::pair(8, 12), std::pair(3, 10), std::pair(20, 30)}) {
    const std::string parameters = "k=" + std::to_string(k) + " m=" + std::to_string(n - k);
    EXPECT_EQ(generator(*make_code("rs-erasure", parameters), 8), systematic_vandermonde(k, n)) << parameters;
  }
}

TEST_F(RsErasure, TakesAsManyChunksAsTheFieldHasElements) {
  const auto code = make_code("rs-erasure", "k=200 m=56");
  check_decode(*code, encoded(*code, random_object(30'000)), {0, 99, 199, 200, 255}, all_positions(*code));
}

class RustyErasure : public ContenderTest {
 protected:
  RustyErasure() : ContenderTest("rusty_erasure", "cargo") {}
};

TEST_F(RustyErasure, RebuildsEveryLossOfAllowedVandermondeCodes) {
  for (const char* parameters : {"k=4 m=2", "k=6 m=3", "k=10 m=3", "k=5 m=4"}) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code("rusty_erasure", parameters), 1000), std::vector<Positions>());
  }
}

TEST_F(RustyErasure, HasTheBytesOfIsa) {
  for (const std::string parameters : {"k=6 m=2", "k=6 m=3", "k=10 m=4 technique=cauchy"}) {
    SCOPED_TRACE(parameters);  // both plugins have chunks of 640 bytes
    expect_same(encoded_chunks(*make_code("rusty_erasure", parameters), 640), encoded_chunks(*make_code("isa", parameters), 640));
  }
}

class RsSimd : public ContenderTest {
 protected:
  RsSimd() : ContenderTest("rs-simd", "cargo") {}
};

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
  if (!is_built("klauspost")) GTEST_SKIP() << "plugin klauspost is not built";
  for (const std::string parameters :
       {"k=2 m=1", "k=4 m=2", "k=6 m=2", "k=8 m=4", "k=10 m=4", "k=5 m=5", "k=7 m=5", "k=100 m=30"}) {
    SCOPED_TRACE(parameters);
    expect_same(encoded(*make_code("rs-simd", parameters), random_object(20'000)),
                encoded(*make_code("klauspost", parameters + " technique=leopard_gf16"), random_object(20'000)));
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

TEST_F(RsSimd, TakesManyChunks) {
  const auto code = make_code("rs-simd", "k=1000 m=200");
  const ChunkSet truth = encoded(*code, random_object(100'000));
  check_decode(*code, truth, {0, 500, 999, 1000, 1199}, all_positions(*code));
}

TEST_F(RsSimd, NamesTheVersionsOfTheCrateAndOfRust) {
  const Plugin& plugin = registry().load("rs-simd");
  EXPECT_EQ(plugin.name, "rs-simd");
  EXPECT_NE(plugin.summary.find("reed-solomon-simd 3.1.0, rustc 1."), std::string::npos) << plugin.summary;
}

}  // namespace
}  // namespace ecbench::test
