// The additive FFT of plugin simd: the matrices of its codes, and every schedule of steps with every kernel. Each result is
// compared with simple arithmetic in GF(2^8).

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "erasure_code/matrix.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"
#include "test/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

using simd::Basis;
using simd::Kernel;
using simd::PointCode;
using simd::Transform;

std::uint8_t times(unsigned a, unsigned b) {
  return ByteField::get().multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
}

std::uint8_t quotient(unsigned a, unsigned b) { return times(a, ByteField::get().inverse(static_cast<std::uint8_t>(b))); }

/// Returns the number of FFTs that were checked.
int check_schedules(const Code& code, const std::vector<const Kernel*>& kernels, std::size_t size) {
  const std::vector<int> usable = simd::usable_layers(code.points, code.k, code.m);
  if (usable.empty()) return 0;
  const Basis basis = basis_of(code.points);
  ChunkSet chunks = random_chunks(code, size);
  const auto data = data_of(code, chunks);
  const auto coding = chunks.pointers().subspan(index(code.k));
  // The fastest kernel computes the correct bytes. simd_kernel_test.cc tests its multiplications.
  const simd::Multiplication multiplication(*simd::usable_kernels().back(), simd::coding_rows(code.points, code.k, code.m), basis);
  multiplication.run(data, coding, size, simd::Store::temporal);
  std::vector<std::vector<std::uint8_t>> truth;
  for (int i = 0; i < code.m; i++) truth.emplace_back(chunks[code.k + i].begin(), chunks[code.k + i].end());
  for (const int layers : usable) {
    const auto sums = encoding_sums(code.points, code.k, code.m, layers);
    for (const Kernel* kernel : kernels) {
      for (int i = 0; i < code.m; i++) std::ranges::fill(chunks[code.k + i], std::uint8_t{0x77});
      Transform(*kernel, basis, code.k, code.m, sums).run(data, coding, size);
      for (int i = 0; i < code.m; i++) {
        EXPECT_TRUE(std::ranges::equal(chunks[code.k + i], truth[index(i)]))
            << code << ", " << layers << " layers, " << kernel->name;
      }
      if (testing::Test::HasFailure()) return 0;
    }
  }
  EXPECT_TRUE(chunks.guards_are_whole()) << code;
  return static_cast<int>(usable.size() * kernels.size());
}

std::vector<Code> small_codes(int most) {
  std::vector<Code> codes;
  for (int k = 1; k < most; k++) {
    for (int m = 1; k + m <= most; m++) {
      for (const PointCode points : point_codes) {
        if (has_points(points, k, m)) codes.push_back({points, k, m});
      }
    }
  }
  return codes;
}

std::vector<Code> random_codes(int count) {
  std::mt19937 random(41);
  std::vector<Code> codes;
  while (codes.size() < index(count)) {
    Code code{point_codes[random() % 3], static_cast<int>(random() % 255 + 1), static_cast<int>(random() % 128 + 1)};
    // Only even k allow an FFT except with Leopard; half of the codes have a k that many FFTs allow.
    if (code.points != PointCode::leopard) code.k = random() % 2 == 0 ? (code.k + 15) / 16 * 16 : (code.k + 1) / 2 * 2;
    if (has_points(code.points, code.k, code.m)) codes.push_back(code);
  }
  return codes;
}

/// The sum of all data chunks, weighted by a matrix that follows from the definition of the code.
TEST(SimdTransform, CodingRowsAreThoseOfTheDefinition) {
  std::vector<Code> codes = small_codes(24);
  for (const Code& code :
       {Code(PointCode::vandermonde, 100, 50), Code(PointCode::leopard, 100, 50), Code(PointCode::leopard, 128, 100),
        Code(PointCode::vandermonde, 200, 56), Code(PointCode::leopard, 240, 16)})
    codes.push_back(code);
  std::mt19937 random(1);
  for (const auto& [points, k, m] : codes) {
    const Matrix rows = simd::coding_rows(points, k, m);
    if (points == PointCode::cauchy) {
      if (m > 1) {
        EXPECT_EQ(rows.elements, simd::isa_cauchy(k, m).elements);
      }
    } else if (points == PointCode::vandermonde) {
      // The values of a random polynomial of degree < k at the points 0, 1, 2, ...
      std::vector<std::uint8_t> values(index(k + m));
      std::vector<std::uint8_t> coefficients(index(k));
      for (std::uint8_t& coefficient : coefficients) coefficient = static_cast<std::uint8_t>(random());
      for (unsigned x = 0; x < values.size(); x++) {
        for (const std::uint8_t coefficient : coefficients)
          values[x] = static_cast<std::uint8_t>(times(values[x], x) ^ coefficient);
      }
      for (int i = 0; i < m; i++) {
        unsigned sum = 0;
        for (int j = 0; j < k; j++) sum ^= times(rows.at(i, j), values[index(j)]);
        ASSERT_EQ(sum, values[index(k + i)]) << Code{points, k, m};
      }
    } else {
      const int group = simd::leopard_group(m);
      for (int j = 0; j < k; j++) {
        const std::uint8_t first = simd::point(Basis::cantor, (group + j) / group * group);
        unsigned vanishing = 1;
        for (int v = 0; v < group; v++) vanishing = times(vanishing, first ^ simd::point(Basis::cantor, v));
        for (int i = 0; i < m; i++)
          ASSERT_EQ(rows.at(i, j), quotient(vanishing, simd::point(Basis::cantor, i ^ (group + j)))) << Code{points, k, m};
      }
    }
  }
}

TEST(SimdTransform, SmallAndRandomCodesHaveTheBytesOfTheMatrixAtEveryLevel) {
  for (const std::vector<Code>& codes : {small_codes(24), random_codes(400)}) {
    int checked = 0;
    for (const Code& code : codes) checked += check_schedules(code, all_kernels(), 64);
    EXPECT_GT(checked, 500 * std::ssize(all_kernels()));
  }
}

// make test-system runs this test.
TEST(SimdTransform, DISABLED_AllCodesHaveTheBytesOfTheMatrixAtEveryLevel) {
  int checked = 0;
  for (const Code& code : small_codes(256)) checked += check_schedules(code, simd::usable_kernels(), 64);
  EXPECT_GT(checked, 100'000);
}

class SimdTransformKernel : public testing::TestWithParam<const Kernel*> {};

TEST_P(SimdTransformKernel, MultipliesEveryByteValueOfEveryDataChunk) {
  for (const Code& code :
       {Code(PointCode::cauchy, 16, 6), Code(PointCode::vandermonde, 8, 8), Code(PointCode::vandermonde, 10, 4),
        Code(PointCode::leopard, 10, 4), Code(PointCode::leopard, 40, 20), Code(PointCode::vandermonde, 64, 64)}) {
    const Matrix rows = simd::coding_rows(code.points, code.k, code.m);
    const auto ours = code_by(*GetParam(), code, simd::TransformPolicy::fft);
    for (int j = 0; j < code.k; j++) {
      ChunkSet chunks(code.k + code.m, 256);
      for (int other = 0; other < code.k; other++) std::ranges::fill(chunks[other], std::uint8_t{0});
      std::iota(chunks[j].begin(), chunks[j].end(), std::uint8_t{0});
      const auto data = data_of(code, chunks);
      ours->encode(data, chunks.pointers().subspan(index(code.k)), 256);
      for (int i = 0; i < code.m; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
          ASSERT_EQ(chunks[code.k + i][byte], simd::multiply_byte(basis_of(code.points), static_cast<std::uint8_t>(rows.at(i, j)),
                                                                  static_cast<std::uint8_t>(byte)))
              << code << ", chunk " << j;
        }
      }
    }
  }
}

// A whole group of lost data chunks is rebuilt by the reverse transform, other losses by multiplication.
TEST_P(SimdTransformKernel, WorksOnChunksOfEverySizeAndTouchesNoOtherByte) {
  constexpr std::size_t most = 2200;
  std::vector<std::size_t> sizes(257);
  std::iota(sizes.begin(), sizes.end(), std::size_t{1});
  for (const std::size_t boundary : {512, 1024, 2048}) {
    for (const std::size_t size : {boundary - 1, boundary, boundary + 1, boundary + 70}) sizes.push_back(size);
  }
  for (const Code& code : {Code(PointCode::cauchy, 8, 4), Code(PointCode::vandermonde, 6, 3), Code(PointCode::vandermonde, 10, 5),
                           Code(PointCode::leopard, 11, 4), Code(PointCode::cauchy, 16, 8), Code(PointCode::vandermonde, 16, 16),
                           Code(PointCode::leopard, 64, 32)}) {
    const auto ours = code_by(*GetParam(), code, simd::TransformPolicy::fft);
    const ChunkSet object = random_chunks(code, most);
    const auto truth = product(simd::coding_rows(code.points, code.k, code.m), basis_of(code.points), data_of(code, object), most);
    FencedChunks memory(code.k + code.m, most);
    std::vector<Positions> losses{{1, code.k - 1, code.k + 1}};
    if (code.m == simd::leopard_group(code.m) && code.k >= code.m) {
      Positions& group = losses.emplace_back(index(code.m));
      std::iota(group.begin(), group.end(), code.k >= 2 * code.m ? code.m : 0);
    }
    for (const std::size_t size : sizes) {
      for (const bool at_end : {false, true}) {
        SCOPED_TRACE(testing::Message() << code << ", " << size << " bytes" << (at_end ? " at the end" : ""));
        const std::vector<std::uint8_t*>& chunks = memory.place(size, at_end);
        for (int i = 0; i < code.k; i++) std::copy_n(object[i].begin(), size, chunks[index(i)]);
        const std::vector<const std::uint8_t*> data(chunks.begin(), chunks.begin() + code.k);
        ours->encode(data, std::span(chunks).subspan(index(code.k)), size);
        for (const Positions& lost : losses) {
          for (const int chunk : lost) std::fill_n(chunks[index(chunk)], size, std::uint8_t{0xee});
          ours->decode(*ours->plan_uncached(lost, lost), chunks, size);
        }
        for (int i = 0; i < code.k + code.m; i++) {
          const std::uint8_t* const right = i < code.k ? object[i].data() : truth[index(i - code.k)].data();
          ASSERT_TRUE(std::equal(chunks[index(i)], chunks[index(i)] + size, right)) << "chunk " << i;
          ASSERT_TRUE(memory.is_whole(index(i))) << "wrote outside chunk " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKernel, SimdTransformKernel, testing::ValuesIn(all_kernels()), kernel_name<Kernel>);

}  // namespace
}  // namespace ecbench::test
