// Tests how the kernels of plugin simd update coding chunks in an overwrite. Each updated byte is compared with the result of
// simple arithmetic in GF(2^8). The tests use 1 to 6 rows, matrices with and without a row whose elements are all 1, and 0 to 6
// changed sources. Memory after the last byte of a chunk cannot be accessed.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "erasure_code/byte_field.h"
#include "erasure_code/index.h"
#include "plugins/simd/multiplication.h"
#include "test/coded_object.h"
#include "test/simd/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

constexpr int columns = 6;

Matrix random_matrix(int rows, bool has_ones_row) {
  std::mt19937 random(static_cast<unsigned>(rows));
  Matrix matrix(rows, columns);
  for (Element& element : matrix.elements) element = random() % 256;
  for (int column = 0; column < columns && has_ones_row; column++) matrix.at(0, column) = 1;
  return matrix;
}

/// Bytes at the end of accessible memory. No byte after them can be accessed.
std::span<std::uint8_t> last_bytes(FencedMemory& memory, std::size_t size) {
  return {memory.end() - size, size};
}

void check(const simd::Kernel& kernel, const Matrix& matrix, const std::vector<int>& changed, std::size_t size) {
  const ByteField& field = ByteField::get();
  const std::size_t most_bytes = std::max(size, std::size_t{1});
  const std::vector<std::uint8_t> random = random_object((2 * index(columns) + index(matrix.rows)) * most_bytes);
  const auto random_bytes = [&](int part) { return std::span(random).subspan(index(part) * most_bytes, size); };
  std::vector<std::unique_ptr<FencedMemory>> memory;
  const auto fenced = [&](std::span<const std::uint8_t> bytes) {
    memory.push_back(std::make_unique<FencedMemory>(most_bytes));
    std::ranges::copy(bytes, last_bytes(*memory.back(), size).begin());
    return last_bytes(*memory.back(), size).data();
  };
  std::vector<simd::Change> changes;
  for (const int source : changed) {
    changes.push_back({index(source), fenced(random_bytes(2 * source)), fenced(random_bytes(2 * source + 1))});
  }
  std::vector<std::uint8_t*> targets;
  for (int row = 0; row < matrix.rows; row++) targets.push_back(fenced(random_bytes(2 * columns + row)));
  simd::Multiplication(kernel, matrix).update(changes, targets, size);
  for (int row = 0; row < matrix.rows; row++) {
    for (std::size_t i = 0; i < size; i++) {
      std::uint8_t expected = random_bytes(2 * columns + row)[i];
      for (const int source : changed) {
        const auto delta = static_cast<std::uint8_t>(random_bytes(2 * source)[i] ^ random_bytes(2 * source + 1)[i]);
        expected = static_cast<std::uint8_t>(expected ^ field.multiply(static_cast<std::uint8_t>(matrix.at(row, source)), delta));
      }
      ASSERT_EQ(targets[index(row)][i], expected)
          << kernel.name << ", " << matrix.rows << " rows, " << changed.size() << " changes, byte " << i << " of " << size;
    }
  }
}

TEST(SimdUpdate, AddsTheProductsOfAllDeltas) {
  for (const simd::Kernel* kernel : all_kernels()) {
    for (int rows = 1; rows <= 6; rows++) {
      for (const bool has_ones_row : {false, true}) {
        const Matrix matrix = random_matrix(rows, has_ones_row);
        for (const std::vector<int>& changed :
             {std::vector<int>{}, {3}, {5, 0}, {1, 2, 4}, {0, 1, 2, 3}, {0, 5, 1, 4, 2}, {5, 4, 3, 2, 1, 0}}) {
          for (const std::size_t size : {0, 1, 15, 31, 32, 63, 64, 65, 128, 191, 300}) check(*kernel, matrix, changed, size);
        }
      }
    }
  }
}

TEST(SimdUpdate, AddsTheProductsOfLongChunksInBlocks) {
  for (const simd::Kernel* kernel : all_kernels()) {
    for (const int rows : {2, 6}) check(*kernel, random_matrix(rows, true), {1, 0, 2, 4, 3}, (64 << 10) + 100);
  }
}

}  // namespace
}  // namespace ecbench::test
