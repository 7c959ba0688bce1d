// The codes of plugin simd, and its updates of coding chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "erasure_code/error.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"
#include "test/coded_object.h"
#include "test/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

/// A code of plugin simd, and a code of another plugin. Both codes must compute the same bytes.
struct Twin {
  std::string simd;  // the parameters for plugin simd
  std::string plugin;
  std::string parameters;
};

std::vector<Twin> twins(int k, int m) {
  const std::string shape = " k=" + std::to_string(k) + " m=" + std::to_string(m);
  const std::string aligned = shape + " jerasure-per-chunk-alignment=true";
  std::vector<Twin> all = {
      {"technique=cauchy" + shape, "isa", "technique=cauchy" + shape},
      {"technique=reed_sol_van matrix=jerasure" + shape, "jerasure", "technique=reed_sol_van" + shape},
      {"technique=reed_sol_van matrix=jerasure" + aligned, "jerasure", "technique=reed_sol_van" + aligned},
  };
  if (m <= 4) all.push_back({"technique=reed_sol_van" + shape, "isa", "technique=reed_sol_van" + shape});
  if (m == 2) all.push_back({"technique=reed_sol_r6_op" + shape, "jerasure", "technique=reed_sol_r6_op" + shape});
  return all;
}

void expect_all_rebuilt(const ErasureCode& code) {
  const ChunkSet truth = encoded_chunks(code, 70);
  ChunkSet chunks = encoded_chunks(code, 70);
  for (const Positions& erased : erasure_patterns(code.chunk_count(), code.coding_chunk_count())) {
    for (const int position : erased) std::ranges::fill(chunks[position], std::uint8_t{0xee});
    code.decode(*code.plan_uncached(erased, erased), chunks.pointers(), chunks.chunk_size());
    for (const int position : erased) {
      ASSERT_TRUE(std::ranges::equal(chunks[position], truth[position])) << "chunk " << position << " of " << erased.size();
    }
  }
  expect_same(chunks, truth);
}

std::vector<std::string> levels() { return usable_dispatch_levels(registry().load("simd")); }

/// The parameter of these tests is k.
class SimdTwins : public testing::TestWithParam<int> {};

// Kernels process a chunk of this size in steps of several vectors, then in steps of one vector. At the end, there is a rest that
// is shorter than a vector. This is the case for vectors of 32 bytes and for vectors of 64 bytes.
TEST_P(SimdTwins, HaveTheSameBytesAndSizesAtEveryLevelAndAreRebuilt) {
  constexpr std::size_t chunk_size = 256 + 64 + 40;
  const int k = GetParam();
  for (int m = 1; m <= 6; m++) {
    for (const Twin& twin : twins(k, m)) {
      SCOPED_TRACE(twin.simd);
      const auto theirs = make_code(twin.plugin, twin.parameters);
      const ChunkSet truth = encoded_chunks(*theirs, chunk_size);
      for (const std::string& level : levels()) {
        SCOPED_TRACE(level);
        const auto ours = make_code("simd", twin.simd, {.dispatch = level});
        expect_same(encoded_chunks(*ours, chunk_size), truth);
        for (std::size_t size = 1; size < 3000; size += 31) ASSERT_EQ(ours->chunk_size(size), theirs->chunk_size(size)) << size;
        if (k + m <= 12) expect_all_rebuilt(*ours);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, SimdTwins, testing::Range(2, 13));

TEST(SimdLosses, AreRebuiltByEveryKernel) {
  for (const simd::Kernel* kernel : all_kernels()) {
    for (const auto& [k, m] : {std::pair{2, 1}, {2, 2}, {6, 2}, {5, 3}, {6, 4}, {14, 2}}) {
      for (const Matrix& rows :
           {simd::isa_vandermonde(k, m), simd::isa_cauchy(k, m), vandermonde_coding_matrix(GaloisField(8), k, m)}) {
        SCOPED_TRACE(testing::Message() << kernel->name << ' ' << k << '+' << m);
        expect_all_rebuilt(*simd::make_rs_code({.shape = {.data_chunk_count = k, .chunk_count = k + m},
                                                .coding_rows = rows,
                                                .is_cauchy = m > 1 && rows == simd::isa_cauchy(k, m),
                                                .kernel = kernel}));
      }
    }
  }
}

TEST(Simd, TwinsOfManyChunksHaveTheSameBytesAndAreRebuilt) {
  std::mt19937 random(256);
  for (const auto& [parameters, plugin] : {std::pair{"technique=cauchy k=224 m=32", "isa"},
                                           {"technique=cauchy k=250 m=6", "isa"},
                                           {"technique=cauchy k=3 m=32", "isa"},
                                           {"technique=reed_sol_van k=32 m=3", "isa"},
                                           {"technique=reed_sol_van k=21 m=4", "isa"},
                                           {"technique=reed_sol_van k=250 m=6", "jerasure"},
                                           {"technique=reed_sol_van k=100 m=28", "jerasure"}}) {
    const ChunkSet truth = encoded_chunks(*make_code(plugin, parameters), 160);
    for (const std::string& level : levels()) {
      SCOPED_TRACE(parameters + (" " + level));
      const auto ours = make_code("simd", std::string(parameters) + " matrix=" + plugin, {.dispatch = level});
      expect_same(encoded_chunks(*ours, 160), truth);
      for (int round = 0; round < 3; round++) {
        Positions erased = all_positions(*ours);
        std::ranges::shuffle(erased, random);
        erased.resize(index(ours->coding_chunk_count()));
        std::ranges::sort(erased);
        check_decode(*ours, truth, erased, erased);
      }
    }
  }
}

TEST(Simd, WritesOnlyWantedChunksAndReadsNoLostChunk) {
  for (const char* parameters : {"k=6 m=3", "k=5 m=4 technique=cauchy", "k=7 m=3 matrix=jerasure", "k=6 technique=reed_sol_r6_op",
                                 "k=3 m=5 matrix=jerasure", "k=4 m=2 mapping=_DD_DD store=streaming", "k=12 m=1"}) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code("simd", parameters), 3000), std::vector<Positions>());
  }
}

TEST(Simd, PutsChunksWhereTheMappingSays) {
  for (const char* parameters : {"k=4 m=2 mapping=_DD_DD", "k=4 m=2 mapping=DD__DD technique=cauchy"}) {
    const std::vector<std::uint8_t> object = random_object(5000);
    expect_same(encoded(*make_code("simd", parameters), object), encoded(*make_code("isa", parameters), object));
  }
}

TEST(Simd, StoresTheSameBytesInEveryWay) {
  const std::vector<std::uint8_t> object = random_object(3 << 20);  // larger than the L2 cache of some CPUs
  const ChunkSet truth = encoded(*make_code("simd", "k=5 m=3 store=temporal"), object);
  for (const char* store : {"streaming", "auto"}) {
    expect_same(encoded(*make_code("simd", std::string("k=5 m=3 store=") + store), object), truth);
  }
}

TEST(Simd, RefusesUnsupportedParameters) {
  for (const char* parameters :
       {"store=never", "matrix=klauspost", "k=200 m=57 technique=cauchy", "k=200 m=57 matrix=jerasure", "matrix=isa w=16",
        "jerasure-per-chunk-alignment=true", "k=22 m=4", "k=6 m=5", "technique=cauchy matrix=jerasure",
        "technique=reed_sol_r6_op matrix=isa", "technique=reed_sol_r6_op m=3", "k=1", "m=0"}) {
    EXPECT_THROW(make_code("simd", parameters), Error) << parameters;
  }
}

// Tests how the kernels of plugin simd update coding chunks in an overwrite. Each updated byte is compared with the result of
// simple arithmetic in GF(2^8). The tests use 1 to 6 rows, matrices with and without a row whose elements are all 1, and 0 to 6
// changed sources. Memory after the last byte of a chunk cannot be accessed.

constexpr int columns = 6;

Matrix random_matrix(int rows, bool has_ones_row) {
  std::mt19937 random(static_cast<unsigned>(rows));
  Matrix matrix(rows, columns);
  for (Element& element : matrix.elements) element = random() % 256;
  for (int column = 0; column < columns && has_ones_row; column++) matrix.at(0, column) = 1;
  return matrix;
}

/// Bytes at the end of accessible memory. No byte after them can be accessed.
std::span<std::uint8_t> last_bytes(FencedMemory& memory, std::size_t size) { return {memory.end() - size, size}; }

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
