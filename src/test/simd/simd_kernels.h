// The kernels of plugin simd that a test program runs: simd_test those that this CPU supports, simd_emulated_test emulated ones, of
// those for chunks only if the CPU does not support their level. Also random matrices, and the codes that an FFT can compute.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "erasure_code/dispatch.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/fft/point_code.h"
#include "plugins/simd/kernel.h"
#include "plugins/simd/xor/xor_program.h"
#include "test/coded_object.h"

namespace ecbench::simd {

#if defined(ECBENCH_EMULATED_KERNELS)
/// These kernels are built from the same sources as the plugin's kernels. SIMDe emulates their instructions portably.
const Kernel& emulated_avx2_gfni_kernel();
const Kernel& emulated_avx512_kernel();
const Kernel& emulated_avx512_gfni_kernel();
const Kernel& emulated_neon_kernel();
const XorKernel& emulated_avx512_xor_kernel();
#endif

}  // namespace ecbench::simd

namespace ecbench::test {

inline std::vector<const simd::Kernel*> all_kernels() {
#if defined(ECBENCH_EMULATED_KERNELS)
  std::vector<const simd::Kernel*> kernels;
  for (const simd::Kernel* emulated : {&simd::emulated_avx2_gfni_kernel(), &simd::emulated_avx512_kernel(),
                                       &simd::emulated_avx512_gfni_kernel(), &simd::emulated_neon_kernel()}) {
    if (!cpu_has_dispatch_level(emulated->level)) kernels.push_back(emulated);
  }
  return kernels;
#else
  return simd::usable_kernels();
#endif
}

inline std::vector<const simd::XorKernel*> all_xor_kernels() {
#if defined(ECBENCH_EMULATED_KERNELS)
  return {&simd::emulated_avx512_xor_kernel()};
#else
  std::vector<const simd::XorKernel*> kernels{&simd::scalar_xor_kernel(), &simd::neon_xor_kernel()};
#if defined(__x86_64__)
  if (cpu_has_dispatch_level("avx2")) kernels.push_back(&simd::avx2_xor_kernel());
  if (cpu_has_dispatch_level("avx512")) kernels.push_back(&simd::avx512_xor_kernel());
#endif
  return kernels;
#endif
}

/// The name of a test whose parameter is a kernel.
template <class Kernel>
std::string kernel_name(const testing::TestParamInfo<const Kernel*>& kernel) {
  std::string name = std::to_string(kernel.index) + " " + kernel.param->name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

/// A random matrix of the given form. Elements that the form does not determine may be zero.
inline Matrix random_matrix(int rows, int columns, simd::Form form) {
  using simd::Form;
  if (form == Form::powers) return simd::isa_vandermonde(columns, rows);
  std::mt19937 random(static_cast<unsigned>(rows * 1000 + columns));
  Matrix matrix(rows, columns);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) {
      const bool is_one = (row == 0 && form != Form::general) || (column == 0 && form == Form::normalised);
      matrix.at(row, column) = is_one ? 1 : random() % 256;
    }
  }
  if (form != Form::complementary) return matrix;
  for (int column = 0; column < columns; column++) {
    matrix.at(0, column) = column <= columns - rows ? 1 : 0;
    for (int row = 1; row < rows; row++) matrix.at(0, column) ^= matrix.at(row, column);
  }
  return matrix;
}

/// The product of `matrix` and `data`, byte by byte.
inline std::vector<std::vector<std::uint8_t>> product(const Matrix& matrix, simd::Basis basis,
                                                      std::span<const std::uint8_t* const> data, std::size_t size) {
  std::vector<std::vector<std::uint8_t>> result(index(matrix.rows), std::vector<std::uint8_t>(size));
  for (int row = 0; row < matrix.rows; row++) {
    for (int column = 0; column < matrix.columns; column++) {
      const auto factor = static_cast<std::uint8_t>(matrix.at(row, column));
      for (std::size_t i = 0; i < size; i++) result[index(row)][i] ^= simd::multiply_byte(basis, factor, data[index(column)][i]);
    }
  }
  return result;
}

inline constexpr std::array point_codes{simd::PointCode::cauchy, simd::PointCode::vandermonde, simd::PointCode::leopard};

/// A code of point_code.h.
struct Code {
  simd::PointCode points;
  int k;
  int m;
};

inline std::ostream& operator<<(std::ostream& out, const Code& code) {
  constexpr std::array names{"none", "cauchy", "vandermonde", "leopard"};
  return out << names[static_cast<std::size_t>(code.points)] << ' ' << code.k << '+' << code.m;
}

inline std::unique_ptr<ErasureCode> code_by(const simd::Kernel& kernel, const Code& code, simd::TransformPolicy transform) {
  return simd::make_rs_code(simd::Design{.shape = {.data_chunk_count = code.k, .chunk_count = code.k + code.m},
                                         .coding_rows = simd::coding_rows(code.points, code.k, code.m),
                                         .is_cauchy = code.points == simd::PointCode::cauchy,
                                         .points = code.points,
                                         .transform = transform,
                                         .kernel = &kernel});
}

/// Chunks in which data chunks have random bytes.
inline ChunkSet random_chunks(const Code& code, std::size_t size) {
  ChunkSet chunks(code.k + code.m, size);
  const std::vector<std::uint8_t> object = random_object(index(code.k) * size);
  for (int i = 0; i < code.k; i++) std::copy_n(object.begin() + i * static_cast<long>(size), size, chunks[i].begin());
  return chunks;
}

inline std::vector<const std::uint8_t*> data_of(const Code& code, const ChunkSet& chunks) {
  return {chunks.pointers().begin(), chunks.pointers().begin() + code.k};
}

inline int butterflies, passes;

/// The kernel with functions that compute nothing, and only count their calls.
inline simd::Kernel counting(const simd::Kernel& kernel) {
  simd::Kernel result = kernel;
  result.butterfly = [](const simd::ButterflyKind&) -> simd::Butterfly {
    return [](const simd::Step&, std::uint8_t* const*, std::size_t) { butterflies++; };
  };
  result.pass = [](const simd::RowGroup&, simd::Store) -> simd::Pass {
    return [](const simd::RowGroup&, const std::uint8_t* const*, std::uint8_t* const*, std::size_t, std::size_t) { passes++; };
  };
  return result;
}

enum class Way { multiplication, fft };

/// The way in which `compute` computes chunks.
inline Way way_of(const auto& compute) {
  butterflies = passes = 0;
  compute();
  EXPECT_NE(butterflies == 0, passes == 0);
  return butterflies > 0 ? Way::fft : Way::multiplication;
}

}  // namespace ecbench::test
