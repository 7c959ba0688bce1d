// The codes of plugin simd that an additive FFT can compute, chunks for them, and the way in which they are computed.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <vector>

#include "plugins/simd/codes.h"
#include "plugins/simd/fft/point_code.h"
#include "test/coded_object.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {

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
template <class Compute>
Way way_of(const Compute& compute) {
  butterflies = passes = 0;
  compute();
  EXPECT_NE(butterflies == 0, passes == 0);
  return butterflies > 0 ? Way::fft : Way::multiplication;
}

}  // namespace ecbench::test
