// The codes of plugin simd that an additive FFT can compute: their bytes, and lost chunks that are rebuilt by an FFT or by
// multiplications.

#include <gtest/gtest.h>
#include <malloc.h>

#include <numeric>
#include <random>

#include "erasure_code/benchmark_info.h"
#include "test/code_checks.h"
#include "test/conformance_data.h"
#include "test/simd/simd_kernels.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

using simd::Kernel;
using simd::PointCode;
using enum simd::TransformPolicy;

/// Loses chunks that the matrix has computed, and rebuilds them in both ways.
class Losses {
 public:
  Losses(const Kernel& kernel, const Code& code, std::size_t size)
      : codes_{code_by(kernel, code, fft), code_by(kernel, code, direct)},
        chunks_(random_chunks(code, size)),
        truth_(random_chunks(code, size)) {
    // simd_kernel_test.cc tests the multiplications of all kernels.
    code_by(*simd::usable_kernels().back(), code, direct)
        ->encode(data_of(code, truth_), truth_.pointers().subspan(index(code.k)), size);
    for (int i = 0; i < code.k + code.m; i++) std::ranges::copy(truth_[i], chunks_[i].begin());
  }

  /// Rebuilds only the chunks in `wanted`, which are erased. The contents of other erased chunks are not used.
  void check(const Positions& erased, const Positions& wanted) {
    for (const auto& code : codes_) {
      for (const int position : erased) std::ranges::fill(chunks_[position], std::uint8_t{0xee});
      code->decode(*code->plan_uncached(erased, wanted), chunks_.pointers(), chunks_.chunk_size());
      for (const int position : wanted)
        ASSERT_TRUE(std::ranges::equal(chunks_[position], truth_[position])) << "chunk " << position << " of " << wanted.size();
      for (const int position : erased) std::ranges::copy(truth_[position], chunks_[position].begin());
    }
    ASSERT_TRUE(chunks_.guards_are_whole());
  }
  void check(const Positions& erased) { check(erased, erased); }

 private:
  std::array<std::unique_ptr<ErasureCode>, 2> codes_;
  ChunkSet chunks_;
  ChunkSet truth_;
};

Positions range(int first, int count) {
  Positions all(index(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

void check_every_loss(const Kernel& kernel, int most_k, int most_m) {
  for (const PointCode points : point_codes) {
    for (int k = 1; k <= most_k; k++) {
      for (int m = 1; m <= most_m; m++) {
        SCOPED_TRACE((testing::Message() << kernel.name << ' ' << Code{points, k, m}));
        Losses losses(kernel, {points, k, m}, 20);
        for (const Positions& erased : erasure_patterns(k + m, m)) {
          losses.check(erased);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Codes of all shapes, ten losses of each. Half of the codes have at most 64 chunks.
void check_random_losses(const Kernel& kernel, unsigned seed, int codes) {
  std::mt19937 random(seed);
  while (codes > 0) {
    const int n = static_cast<int>(random() % (random() % 2 == 0 ? 63 : 255)) + 2;
    const int m = static_cast<int>(random() % static_cast<unsigned>(n - 1)) + 1;
    const Code code{point_codes[random() % 3], n - m, m};
    if (!has_points(code.points, code.k, code.m)) continue;
    codes--;
    SCOPED_TRACE(testing::Message() << kernel.name << ' ' << code);
    Losses losses(kernel, code, random() % 150 + 1);
    for (int i = 0; i < 10; i++) {
      const Positions erased = some_of(range(0, n), random() % index(std::min(m, n - 1)) + 1, random);
      losses.check(erased, some_of(erased, random() % 2 == 0 ? erased.size() : random() % erased.size() + 1, random));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SimdDecoding, EveryLossOfSmallCodesIsRebuilt) { check_every_loss(*simd::usable_kernels().back(), 8, 8); }

// 20,000 losses.
TEST(SimdDecoding, RandomLossesOfAllShapesAreRebuilt) { check_random_losses(*simd::usable_kernels().back(), 2, 2000); }

TEST(SimdDecoding, SomeLossesAreRebuiltByEveryKernel) {
  for (const Kernel* kernel : all_kernels()) {
    check_every_loss(*kernel, 4, 4);
    check_random_losses(*kernel, 3, 100);
  }
}

TEST(SimdDecoding, EveryWholeGroupIsRebuilt) {
  for (const PointCode points : point_codes) {
    for (const auto& [k, m] : {std::pair{16, 8}, {32, 32}, {128, 64}, {8, 2}, {128, 128}}) {
      SCOPED_TRACE((testing::Message() << Code{points, k, m}));
      Losses losses(*simd::usable_kernels().back(), {points, k, m}, 200);
      for (int first = 0; first < k; first += m) losses.check(range(first, m));
    }
  }
}

TEST(SimdDecoding, ManyLossesAreRebuiltByAnFft) {
  for (const Kernel* kernel : all_kernels()) {
    if (kernel == &simd::scalar_kernel()) continue;  // one pass for each row is slow, so its FFT is faster for fewer losses
    const Kernel counted = counting(*kernel);
    for (const PointCode points : point_codes) {
      const Code code{points, 64, 32};
      ChunkSet chunks(code.k + code.m, 4096);
      for (const auto& [transform, first, count, way] : {std::tuple{automatic, 0, 32, Way::fft},
                                                         {automatic, 16, 32, Way::fft},
                                                         {automatic, 64, 32, Way::fft},
                                                         {automatic, 16, 4, Way::multiplication},
                                                         {fft, 16, 4, Way::fft},
                                                         {fft, 0, 1, Way::fft},
                                                         {direct, 0, 32, Way::multiplication},
                                                         {direct, 16, 32, Way::multiplication}}) {
        SCOPED_TRACE(testing::Message() << kernel->name << ' ' << code << ", " << count << " chunks from " << first);
        const auto made = code_by(counted, code, transform);
        const Positions lost = range(first, count);
        const auto plan = made->plan_uncached(lost, lost);
        EXPECT_EQ(way_of([&] { made->decode(*plan, chunks.pointers(), chunks.chunk_size()); }), way);
        EXPECT_EQ(info_of(*made).kernel_of(plan.get()), kernel->name + std::string(way == Way::fft ? " (FFT)" : ""));
        EXPECT_EQ(info_of(*made).kernel_of(made->plan_uncached({64}, {0}).get()), kernel->name) << "nothing is rebuilt";
        EXPECT_EQ(info_of(*made).kernel_of(nullptr), kernel->name + std::string(transform == direct ? "" : " (FFT)"));
      }
    }
  }
}

#ifdef __GLIBC__
/// The memory of a plan. 0 if malloc() is not that of glibc.
std::size_t plan_bytes(simd::TransformPolicy transform, const Code& code, const Positions& lost) {
  const auto made = code_by(*simd::usable_kernels().back(), code, transform);
  made->plan_uncached(lost, lost);
  const std::size_t before = mallinfo2().uordblks;
  const auto plan = made->plan_uncached(lost, lost);
  return mallinfo2().uordblks - before;
}

TEST(SimdDecoding, PlansOfAnFftAreSmallerThanMatrices) {
  for (const PointCode points : point_codes) {
    for (const auto& [k, m] : {std::pair{64, 64}, {128, 64}, {128, 128}}) {
      const Code code{points, k, m};
      const std::size_t multiplication = plan_bytes(direct, code, range(k / 2, m));
      if (multiplication == 0) GTEST_SKIP() << "another malloc()";
      EXPECT_LT(plan_bytes(fft, code, range(k / 2, m)), multiplication) << code;
      EXPECT_LT(plan_bytes(fft, code, range(k / 2, m)), 128 << 10) << code;
    }
  }
}
#endif

TEST(SimdPointCode, EncodesInTheSelectedWay) {
  using enum simd::PointCode;
  using enum simd::TransformPolicy;
  for (const simd::Kernel* kernel : all_kernels()) {
    if (kernel == &simd::scalar_kernel()) continue;  // for 10+4, its FFT is faster than one pass for each row
    const simd::Kernel counted = counting(*kernel);
    for (const auto& [code, transform, size, way] :
         {std::tuple(Code(cauchy, 32, 32), direct, 4096, Way::multiplication),
          std::tuple(Code(cauchy, 32, 32), fft, 4096, Way::fft), std::tuple(Code(cauchy, 32, 32), automatic, 4096, Way::fft),
          std::tuple(Code(cauchy, 32, 32), automatic, 64, Way::fft),
          std::tuple(Code(cauchy, 32, 32), automatic, 32, Way::multiplication), std::tuple(Code(cauchy, 32, 32), fft, 32, Way::fft),
          std::tuple(Code(leopard, 3, 2), automatic, 64, Way::multiplication),
          std::tuple(Code(leopard, 20, 10), automatic, 127, Way::multiplication),
          std::tuple(Code(leopard, 20, 10), automatic, 128, Way::fft),
          std::tuple(Code(vandermonde, 16, 16), automatic, 4096, Way::fft),
          std::tuple(Code(cauchy, 10, 4), automatic, 4096, Way::multiplication),
          std::tuple(Code(cauchy, 10, 4), fft, 4096, Way::fft),
          std::tuple(Code(vandermonde, 9, 4), automatic, 4096, Way::multiplication)}) {
      SCOPED_TRACE(testing::Message() << kernel->name << ' ' << code << ", " << size << " bytes");
      ChunkSet chunks(code.k + code.m, static_cast<std::size_t>(size));
      const auto made = code_by(counted, code, transform);
      const auto encode = [&] {
        made->encode(data_of(code, chunks), chunks.pointers().subspan(index(code.k)), chunks.chunk_size());
      };
      EXPECT_EQ(way_of(encode), way);
    }
  }
}

/// Checks the bytes of a code with the parameters of a line of klauspost.jsonl, whose chunks were computed by
/// github.com/klauspost/reedsolomon. `more` is added to the parameters.
void check_klauspost_line(const nlohmann::json& line, const std::string& plugin, const std::string& more = "") {
  SCOPED_TRACE(line.dump() + more);
  Profile profile = parsed_profile(more);
  for (const char* key : {"technique", "k", "m"}) profile.set(key, line.at(key).get<std::string>());
  const auto code = make_code(plugin, profile);
  const std::size_t size = line.at("object_size");
  EXPECT_EQ(code->chunk_size(size), line.at("chunk_size").get<std::size_t>());
  const ChunkSet chunks = encoded(*code, corpus_object(size));
  std::vector<std::uint8_t> coding;
  for (const int position : code->coding_positions()) coding.insert(coding.end(), chunks[position].begin(), chunks[position].end());
  EXPECT_EQ(sha256(coding), line.at("coding_chunks").get<std::string>());
}

TEST(SimdPointCode, HasTheBytesOfKlauspost) {
  int lines = 0;
  for (const nlohmann::json& line : conformance_lines("klauspost.jsonl")) {
    for (const std::string transform : {"auto", "direct", "fft"}) {
      const int k = std::stoi(line.at("k").get<std::string>());
      const int m = std::stoi(line.at("m").get<std::string>());
      const bool has_fft = m > 1 && (line.at("technique") == "leopard_gf8" || k % 2 == 0);
      if (!has_fft && transform == "fft") continue;
      check_klauspost_line(line, "simd", "transform=" + transform);
      lines++;
    }
  }
  EXPECT_GT(lines, 100);
}

struct KlauspostLines : ContenderTest {
  KlauspostLines() : ContenderTest("klauspost") {}
};

TEST_F(KlauspostLines, AreTheBytesOfKlauspost) {
  for (const nlohmann::json& line : conformance_lines("klauspost.jsonl")) check_klauspost_line(line, "klauspost");
}

TEST_F(KlauspostLines, HaveTheLimitsOfSimd) {
  const auto is_made = [](const std::string& plugin, const std::string& parameters) {
    return !error_of([&] { make_code(plugin, parameters); });
  };
  for (const std::string technique : {"technique=leopard_gf8", "technique=vandermonde"}) {
    for (const auto& [k, m] :
         {std::pair(1, 1), std::pair(1, 2), std::pair(128, 128), std::pair(129, 127), std::pair(128, 65), std::pair(129, 65),
          std::pair(192, 64), std::pair(193, 63), std::pair(252, 4), std::pair(253, 3), std::pair(254, 2), std::pair(255, 1),
          std::pair(224, 32), std::pair(225, 20), std::pair(1, 128), std::pair(1, 129), std::pair(2, 254)}) {
      const std::string parameters = technique + shape(k, m);
      EXPECT_EQ(is_made("simd", parameters), is_made("klauspost", parameters)) << parameters;
    }
  }
}

TEST(SimdPointCode, WideCodesHaveTheBytesOfIsaAndJerasure) {
  const std::vector<std::uint8_t> object = random_object(40'000);
  for (const auto& [k, m] : {std::pair(2, 2),   std::pair(4, 2),   std::pair(6, 4),    std::pair(8, 3),   std::pair(8, 4),
                             std::pair(10, 4),  std::pair(12, 4),  std::pair(16, 4),   std::pair(8, 8),   std::pair(16, 8),
                             std::pair(24, 8),  std::pair(40, 8),  std::pair(16, 16),  std::pair(20, 16), std::pair(32, 16),
                             std::pair(48, 20), std::pair(32, 32), std::pair(100, 28), std::pair(64, 32), std::pair(224, 32)}) {
    const ChunkSet of_isa = encoded(*make_code("isa", "technique=cauchy" + shape(k, m)), object);
    for (const std::string transform : {"fft", "auto", "direct"}) {
      SCOPED_TRACE(shape(k, m) + " " + transform);
      expect_same(encoded(*make_code("simd", "technique=cauchy transform=" + transform + shape(k, m)), object), of_isa);
    }
    SCOPED_TRACE(shape(k, m));
    expect_same(encoded(*make_code("simd", "technique=reed_sol_van matrix=jerasure" + shape(k, m)), object),
                encoded(*make_code("jerasure", "technique=reed_sol_van" + shape(k, m)), object));
  }
}

}  // namespace
}  // namespace ecbench::test
