// Tests the plugin rs-erasure, which runs the Rust crate reed-solomon-erasure.

#include <gtest/gtest.h>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/matrix.h"
#include "erasure_code/registry.h"
#include "test/coded_object.h"
#include "test/contender_checks.h"
#include "test/directories.h"
#include "test/linear_algebra.h"

namespace ecbench::test {
namespace {

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

TEST_F(RsErasure, RebuildsEveryLossOfUpToTenChunks) {
  for (int n = 2; n <= 10; n++) check_all_losses("rs-erasure", "", n);
}

TEST_F(RsErasure, RebuildsObjectsOfAllSizes) {
  const auto code = make_code("rs-erasure", "k=5 m=3");
  for (const std::size_t size : {1, 4, 5, 64, 320, 321, 4095, 4096, 100'003}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(code->chunk_size(size), round_up((size + 4) / 5, 64));
    EXPECT_EQ(check_all_erasures(*code, size), std::vector<Positions>());
  }
}

TEST_F(RsErasure, RebuildsOnlyWantedChunks) {
  check_partial_wishes(*make_code("rs-erasure", "k=4 m=4"));
  check_partial_wishes(*make_code("rs-erasure", "k=2 m=5"));
}

TEST_F(RsErasure, ServesTwoThreadsAtATime) {
  check_two_threads(*make_code("rs-erasure", "k=6 m=3"));
}

TEST_F(RsErasure, IsTheSystematicVandermondeCode) {
  for (const auto& [k, n] : {std::pair(1, 2), std::pair(6, 8), std::pair(8, 12), std::pair(3, 10), std::pair(20, 30)}) {
    const std::string parameters = "k=" + std::to_string(k) + " m=" + std::to_string(n - k);
    EXPECT_EQ(generator(*make_code("rs-erasure", parameters), 8), systematic_vandermonde(k, n)) << parameters;
  }
}

TEST_F(RsErasure, TakesAsManyChunksAsTheFieldHasElements) {
  const auto code = make_code("rs-erasure", "k=200 m=56");
  const ChunkSet truth = encoded(*code, random_object(30'000));
  check_decode(*code, truth, {0, 99, 199, 200, 255}, all_positions(*code));
  EXPECT_TRUE(refusal_of("rs-erasure", "k=200 m=57").starts_with("k=200 m=57 is not allowed: k+m must be at most 256"));
  for (const std::string parameters : {"k=0 m=2", "k=4 m=0", "k=256 m=1", "k=-1 m=2", "k=x m=2"}) {
    EXPECT_NE(refusal_of("rs-erasure", parameters).find(" is not allowed: "), std::string::npos);
  }
}

TEST_F(RsErasure, NamesTheVersionsOfTheCrateAndOfRust) {
  EXPECT_NE(
      info_of(*make_code("rs-erasure", "k=6 m=2")).kernel().find("reedsolomon_gal_mul of reed-solomon-erasure, compiled for "),
      std::string::npos);
  Registry registry(plugin_directory(), [](const std::string&) {});
  const Plugin& plugin = registry.load("rs-erasure");
  EXPECT_EQ(plugin.name, "rs-erasure");
  EXPECT_NE(plugin.summary.find("reed-solomon-erasure 6.0.0, rustc 1."), std::string::npos) << plugin.summary;
}

}  // namespace
}  // namespace ecbench::test
