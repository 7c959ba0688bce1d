// The codes of plugin simd that an additive FFT can compute rebuild lost chunks, by an FFT and by multiplications.

#include <gtest/gtest.h>
#include <malloc.h>

#include <numeric>
#include <random>
#include <thread>

#include "erasure_code/benchmark_info.h"
#include "test/code_checks.h"
#include "test/simd/simd_kernels.h"
#include "test/simd/simd_point_codes.h"

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

/// `count` of the positions, ascending.
Positions some_of(Positions positions, std::size_t count, std::mt19937& random) {
  std::ranges::shuffle(positions, random);
  positions.resize(count);
  std::ranges::sort(positions);
  return positions;
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

/// The parameter of these tests is a kernel of all_kernels().
class SimdDecodingKernel : public testing::TestWithParam<const Kernel*> {};

TEST_P(SimdDecodingKernel, RebuildsEveryLossOfSmallCodes) { check_every_loss(*GetParam(), 4, 4); }

TEST_P(SimdDecodingKernel, RebuildsRandomLosses) { check_random_losses(*GetParam(), 3, 100); }

INSTANTIATE_TEST_SUITE_P(EveryKernel, SimdDecodingKernel, testing::ValuesIn(all_kernels()), kernel_name<Kernel>);

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

TEST(SimdDecoding, ThreadsShareAPlan) {
  const Code code{PointCode::leopard, 40, 20};
  const auto made = code_by(*simd::usable_kernels().back(), code, fft);
  const Positions lost = range(30, 20);
  const auto plan = made->plan_uncached(lost, lost);
  std::vector<std::thread> threads;
  for (const std::size_t size : {1000, 1100, 1200, 1300}) {
    threads.emplace_back([&, size] {
      ChunkSet chunks = random_chunks(code, size);
      ChunkSet truth = random_chunks(code, size);
      made->encode(data_of(code, truth), truth.pointers().subspan(index(code.k)), size);
      for (int i = code.k; i < code.k + code.m; i++) std::ranges::copy(truth[i], chunks[i].begin());
      for (int round = 0; round < 200; round++) {
        for (const int position : lost) std::ranges::fill(chunks[position], std::uint8_t{0xee});
        made->decode(*plan, chunks.pointers(), size);
        for (const int position : lost) EXPECT_TRUE(std::ranges::equal(chunks[position], truth[position]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
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

}  // namespace
}  // namespace ecbench::test
