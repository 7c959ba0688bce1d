// Tests products, which are linear combinations of chunks: GaloisField computes each element again, and the results must be equal.
// Also tests bytewise_matrix(), which finds the coding matrix of a code by encoding test data.

#include "erasure_code/products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/matrix.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

/// The names of the plugins that can compute products.
std::vector<std::string> makers() {
  std::vector<std::string> names = registry().names();
  std::erase_if(names, [](const std::string& name) { return !registry().load(name).products; });
  return names;
}

Element element_at(std::span<const std::uint8_t> chunk, std::size_t symbol, int w) {
  Element element = 0;
  std::memcpy(&element, chunk.data() + symbol * static_cast<std::size_t>(w / 8), static_cast<std::size_t>(w / 8));
  return element;
}

void expect_right(const ChunkSet& chunks, std::span<const Product> products, int w) {
  const GaloisField field(w);
  for (const Product& product : products) {
    for (std::size_t symbol = 0; symbol < chunks.chunk_size() / static_cast<std::size_t>(w / 8); symbol++) {
      Element sum = 0;
      for (std::size_t i = 0; i < product.sources.size(); i++) {
        sum ^= field.multiply(product.coefficients[i], element_at(chunks[product.sources[i]], symbol, w));
      }
      ASSERT_EQ(element_at(chunks[product.destination], symbol, w), sum)
          << "chunk " << product.destination << ", symbol " << symbol;
    }
  }
}

Element random_coefficient(std::mt19937_64& engine, int w) {
  const Element mask = w == 32 ? ~Element{0} : (Element{1} << w) - 1;
  return std::max<Element>(1, static_cast<Element>(engine()) & mask);
}

/// Linear combinations (struct Product) of six chunks: sums and multiples, products with a single source, two products with the
/// same sources, and products that read the results of other products.
std::vector<Product> some_products(int w) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(w));
  const auto c = [&] { return random_coefficient(engine, w); };
  return {{6, {0, 1, 2, 3, 4, 5}, {c(), c(), c(), c(), c(), c()}},
          {7, {0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}},
          {8, {2, 5}, {1, 1}},
          {9, {3}, {c()}},
          {10, {4}, {1}},
          {11, {6, 9, 0}, {c(), 1, c()}},
          {12, {7, 8}, {1, 1}}};
}

void expect_products(const std::string& plugin, int w, std::size_t size, ReadAgain read_again) {
  SCOPED_TRACE(plugin + " w=" + std::to_string(w) + " " + std::to_string(size) + " bytes");
  const std::vector<Product> products = some_products(w);
  ChunkSet chunks(13, size);
  std::mt19937_64 engine(size);
  for (int chunk = 0; chunk < 13; chunk++) {
    std::ranges::generate(chunks[chunk], [&] { return static_cast<std::uint8_t>(engine()); });
  }
  const auto made = registry().products(plugin)(products, w, read_again);
  ASSERT_EQ(size % made->granule(), 0u);
  made->run(chunks.pointers(), size);
  expect_right(chunks, products, w);
  EXPECT_TRUE(chunks.guards_are_whole());
  EXPECT_FALSE(info_of(*made).kernel().empty());
}

TEST(Products, EqualTheArithmeticOfTheField) {
  ASSERT_GE(makers().size(), 2u);
  for (const std::string& plugin : makers()) {
    for (const std::size_t size : {8, 32, 96, 1000, 8192, 20008}) {
      for (const ReadAgain read_again : {ReadAgain::soon, ReadAgain::later}) expect_products(plugin, 8, size, read_again);
    }
  }
  for (const int w : {16, 32}) {
    for (const std::size_t size : {8, 1000, 20008}) expect_products("jerasure", w, size, ReadAgain::soon);
  }
}

TEST(Products, NeedNoWiderAlignmentThanSixteenBytes) {
  for (const std::string& plugin : makers()) {
    SCOPED_TRACE(plugin);
    const std::vector<Product> products = some_products(8);
    ChunkSet chunks(13, 10016);
    std::vector<std::uint8_t*> pointers(chunks.pointers().begin(), chunks.pointers().end());
    for (std::size_t i = 0; i < pointers.size(); i++) pointers[i] += 16 * (i % 4);
    registry().products(plugin)(products, 8, ReadAgain::later)->run(pointers, 9952);
    const GaloisField field(8);
    for (const Product& product : products) {
      Element sum = 0;
      for (std::size_t i = 0; i < product.sources.size(); i++) {
        sum ^= field.multiply(product.coefficients[i], pointers[static_cast<std::size_t>(product.sources[i])][9951]);
      }
      EXPECT_EQ(pointers[static_cast<std::size_t>(product.destination)][9951], sum);
    }
    EXPECT_TRUE(chunks.guards_are_whole());
  }
}

TEST(Products, OfAnUnsupportedWidthAreRefused) {
  EXPECT_THROW(registry().products("isa")(some_products(16), 16, ReadAgain::soon), Error);
}

TEST(Matrix, TimesItsInverseIsTheIdentity) {
  for (const int w : {8, 16, 32}) {
    const GaloisField field(w);
    std::mt19937_64 engine(1);
    Matrix matrix(5, 5);
    for (Element& element : matrix.elements) element = random_coefficient(engine, w);
    const std::optional<Matrix> inverted = inverse(field, matrix);
    ASSERT_TRUE(inverted);
    const Matrix unit = product(field, matrix, *inverted);
    for (int row = 0; row < 5; row++) {
      for (int column = 0; column < 5; column++) EXPECT_EQ(unit.at(row, column), row == column ? 1u : 0u);
    }
    for (int column = 0; column < 5; column++) matrix.at(4, column) = matrix.at(0, column) ^ matrix.at(1, column);
    EXPECT_FALSE(inverse(field, matrix)) << "rows 0, 1 and 4 are dependent";
    EXPECT_EQ(reduce(field, matrix, 5).size(), 4u);
  }
}

// The matrices of these codes are known: jerasure's reed_sol_van 3+3, and RAID-6. The second row of the RAID-6 matrix consists of
// powers of two.
TEST(Probing, FindsTheMatrixOfABytewiseCode) {
  const std::optional<Matrix> vandermonde = bytewise_matrix(*make_code("jerasure", "technique=reed_sol_van k=3 m=3"));
  ASSERT_TRUE(vandermonde);
  EXPECT_EQ(vandermonde->elements, (std::vector<Element>{1, 1, 1, 1, 196, 83, 1, 245, 244}));
  const std::optional<Matrix> raid6 = bytewise_matrix(*make_code("isa", "k=4 m=2"));
  ASSERT_TRUE(raid6);
  EXPECT_EQ(raid6->elements, (std::vector<Element>{1, 1, 1, 1, 1, 2, 4, 8}));
  EXPECT_EQ(*bytewise_matrix(*make_code("jerasure", "technique=reed_sol_r6_op k=4")), *raid6);
}

TEST(Probing, DetectsCodesThatAreNotBytewise) {
  for (const char* parameters : {"technique=cauchy_good k=4 m=2", "technique=liberation k=4 packetsize=64",
                                 "technique=reed_sol_van k=4 m=2 w=16", "technique=reed_sol_van k=4 m=2 w=32"}) {
    EXPECT_FALSE(bytewise_matrix(*make_code("jerasure", parameters))) << parameters;
  }
}

}  // namespace
}  // namespace ecbench::test
