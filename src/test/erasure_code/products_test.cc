// Linear combinations of chunks, and the coding matrix that bytewise_matrix() finds.

#include "erasure_code/products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/matrix.h"
#include "test/coded_object.h"

namespace ecbench::test {
namespace {

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

void expect_right(const std::vector<std::uint8_t*>& chunks, std::size_t size, std::span<const Product> products, int w) {
  const GaloisField field(w);
  const auto element = [&](int chunk, std::size_t symbol) { return element_at({chunks[index(chunk)], size}, symbol, w); };
  for (const Product& product : products) {
    for (std::size_t symbol = 0; symbol < size / static_cast<std::size_t>(w / 8); symbol++) {
      Element sum = 0;
      for (std::size_t i = 0; i < product.sources.size(); i++) {
        sum ^= field.multiply(product.coefficients[i], element(product.sources[i], symbol));
      }
      ASSERT_EQ(element(product.destination, symbol), sum) << "chunk " << product.destination << ", symbol " << symbol;
    }
  }
}

Element random_coefficient(std::mt19937_64& engine, int w) {
  const Element mask = w == 32 ? ~Element{0} : (Element{1} << w) - 1;
  return std::max<Element>(1, static_cast<Element>(engine()) & mask);
}

/// Of six chunks. Some read the results of others.
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

/// Checks chunks of `size` bytes. Chunk i begins `skew` * (i % 4) bytes after a multiple of chunk_alignment_bytes.
void expect_products(const std::string& plugin, int w, std::size_t size, ReadAgain read_again, std::size_t skew = 0) {
  SCOPED_TRACE(plugin + " w=" + std::to_string(w) + " " + std::to_string(size) + " bytes");
  const std::vector<Product> products = some_products(w);
  ChunkSet chunks(13, size + 3 * skew);
  std::mt19937_64 engine(size);
  std::vector<std::uint8_t*> pointers;
  for (int chunk = 0; chunk < 13; chunk++) {
    std::ranges::generate(chunks[chunk], [&] { return static_cast<std::uint8_t>(engine()); });
    pointers.push_back(chunks[chunk].data() + skew * index(chunk % 4));
  }
  const auto made = registry().products(plugin)(products, w, read_again);
  ASSERT_EQ(size % made->granule(), 0u);
  made->run(pointers, size);
  expect_right(pointers, size, products, w);
  EXPECT_TRUE(chunks.guards_are_whole());
  EXPECT_FALSE(info_of(*made).kernel().empty());
}

TEST(Products, EqualTheArithmeticOfTheField) {
  ASSERT_GE(makers().size(), 2u);
  for (const std::string& plugin : makers()) {
    for (const std::size_t size : {8, 32, 96, 1000, 8192, 20008}) {
      for (const ReadAgain read_again : {ReadAgain::soon, ReadAgain::later}) expect_products(plugin, 8, size, read_again);
    }
    expect_products(plugin, 8, 9952, ReadAgain::later, 16);
  }
  for (const int w : {16, 32}) {
    for (const std::size_t size : {8, 1000, 20008}) expect_products("jerasure", w, size, ReadAgain::soon);
  }
}

TEST(Products, OfAnUnsupportedWidthAreRefused) {
  EXPECT_THROW(registry().products("isa")(some_products(16), 16, ReadAgain::soon), Error);
}

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
