// The kernels of plugin simd, compared with simple arithmetic in GF(2^8), and their matrices.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "erasure_code/matrix.h"
#include "plugins/simd/codes.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"
#include "test/coded_object.h"
#include "test/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

using simd::Form;
using simd::Kernel;
using simd::Multiplication;
using simd::Store;

constexpr std::array forms{Form::general, Form::ones_row, Form::normalised, Form::powers, Form::complementary};

/// A multiplication with all its chunks in fenced memory, and the expected result.
class Fenced {
 public:
  Fenced(const Matrix& matrix, std::size_t most_bytes)
      : matrix_(matrix), chunks_(matrix.columns + matrix.rows, most_bytes), data_(matrix.columns, most_bytes) {
    for (int i = 0; i < matrix.columns; i++) std::ranges::generate(data_[i], [&] { return static_cast<std::uint8_t>(random_()); });
    const std::vector<const std::uint8_t*> sources(data_.pointers().begin(), data_.pointers().end());
    truth_ = product(matrix, simd::Basis::natural, sources, most_bytes);
  }

  /// Checks chunks of `size` bytes, which are placed as FencedChunks does.
  void expect_right(const Kernel& kernel, std::size_t size, bool at_end, std::size_t skew, Store store) {
    SCOPED_TRACE(std::string(kernel.name) + ", " + std::to_string(matrix_.rows) + " by " + std::to_string(matrix_.columns) + ", " +
                 std::to_string(size) + " bytes" + (at_end ? " at the end" : "") + ", skew " + std::to_string(skew) +
                 (store == Store::streaming ? ", streaming" : ""));
    const std::vector<std::uint8_t*>& chunks = chunks_.place(size, at_end, skew);
    const std::size_t k = index(matrix_.columns);
    for (std::size_t i = 0; i < k; i++) std::copy_n(data_.pointers()[i], size, chunks[i]);
    const std::vector<const std::uint8_t*> sources(chunks.begin(), chunks.begin() + matrix_.columns);
    Multiplication(kernel, matrix_).run(sources, std::span(chunks).subspan(k), size, store);
    for (std::size_t i = k; i < chunks.size(); i++) {
      ASSERT_TRUE(std::equal(chunks[i], chunks[i] + size, truth_[i - k].begin())) << "row " << i - k;
      ASSERT_TRUE(chunks_.is_whole(i)) << "row " << i - k << " wrote outside its chunk";
    }
  }

 private:
  Matrix matrix_;
  FencedChunks chunks_;
  ChunkSet data_;
  std::mt19937 random_{1};
  std::vector<std::vector<std::uint8_t>> truth_;
};

/// The parameter of these tests is a kernel of all_kernels().
class SimdKernel : public testing::TestWithParam<const Kernel*> {};

TEST_P(SimdKernel, MultipliesByEveryCoefficient) {
  std::vector<std::uint8_t> every(256);
  std::iota(every.begin(), every.end(), std::uint8_t{0});
  const GaloisField field(8);
  for (Element coefficient = 0; coefficient < 256; coefficient++) {
    Matrix matrix(1, 1);
    matrix.at(0, 0) = coefficient;
    std::vector<std::uint8_t> product(256);
    const std::uint8_t* source = every.data();
    std::uint8_t* target = product.data();
    Multiplication(*GetParam(), matrix).run({&source, 1}, {&target, 1}, 256, Store::temporal);
    for (Element element = 0; element < 256; element++) {
      ASSERT_EQ(product[element], field.multiply(coefficient, element)) << coefficient << " times " << element;
    }
  }
}

struct MatrixShape {
  int rows;
  int columns;
  Form form;
};

// With more than four rows, several passes are needed. Some numbers of columns have a loop of their own.
const std::vector<MatrixShape> shapes{
    {1, 1, Form::general},        {1, 3, Form::ones_row},      {1, 4, Form::general},    {2, 6, Form::normalised},
    {2, 6, Form::complementary},  {2, 14, Form::general},      {3, 5, Form::general},    {3, 13, Form::normalised},
    {3, 13, Form::complementary}, {4, 8, Form::general},       {4, 12, Form::ones_row},  {4, 15, Form::normalised},
    {4, 10, Form::complementary}, {4, 4, Form::complementary}, {5, 7, Form::normalised}, {9, 13, Form::general},
    {2, 2, Form::powers},         {2, 6, Form::powers},        {2, 14, Form::powers},    {3, 7, Form::powers},
    {4, 8, Form::powers},         {4, 15, Form::powers},       {6, 5, Form::powers}};

/// A chunk that begins at the start of its memory or `skew` bytes later, or ends so many bytes before its end.
struct Place {
  bool at_end;
  std::size_t skew;
};

void check_products(const Kernel& kernel, const Matrix& matrix, const std::vector<std::size_t>& sizes,
                    const std::vector<Place>& places) {
  Fenced fenced(matrix, *std::ranges::max_element(sizes) + 64);
  for (const std::size_t size : sizes) {
    for (const Place& place : places) {
      for (const Store store : {Store::temporal, Store::streaming}) {
        fenced.expect_right(kernel, size, place.at_end, place.skew, store);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(SimdKernel, WorksOnChunksOfEverySizeAndTouchesNoOtherByte) {
  std::vector<std::size_t> sizes(257);
  std::iota(sizes.begin(), sizes.end(), std::size_t{1});
  std::vector<std::size_t> around_blocks;
  for (const std::size_t boundary : {320, 384, 448, 512, 576, 640, 1024, 1216, 2048, 2432, 4096}) {
    around_blocks.insert(around_blocks.end(), {boundary - 1, boundary, boundary + 1});
  }
  for (const auto& [rows, columns, form] : shapes) {
    check_products(*GetParam(), random_matrix(rows, columns, form), sizes, {{true, 0}, {false, 1}});
    check_products(*GetParam(), random_matrix(rows, columns, form), around_blocks, {{true, 0}, {false, 0}});
  }
}

// If there are more than four rows, the sources are processed in blocks of block_size() bytes.
TEST_P(SimdKernel, WorksAroundEveryBlockOfSeveralGroupsOfRows) {
  for (const auto& [rows, columns] : {std::pair{5, 12}, {9, 30}}) {
    const std::size_t block = simd::block_size(index(columns));
    check_products(*GetParam(), random_matrix(rows, columns, Form::general),
                   {block - 1, block, block + 1, block + 31, block + 65, 2 * block - 64, 2 * block + 1}, {{true, 1}, {false, 0}});
  }
}

TEST_P(SimdKernel, WorksOnMisalignedChunks) {
  for (const auto& [rows, columns, form] : shapes) {
    for (const std::size_t skew : {1, 3, 16, 32, 33, 64}) {
      check_products(*GetParam(), random_matrix(rows, columns, form), {97, 1111, 1152}, {{true, skew}, {false, skew}});
    }
  }
}

TEST_P(SimdKernel, HasALoopForEveryShape) {
  for (int rows = 1; rows <= 6; rows++) {
    for (int columns = 1; columns <= 16; columns++) {
      for (const Form form : forms) check_products(*GetParam(), random_matrix(rows, columns, form), {456}, {{false, 64}});
    }
  }
}

TEST_P(SimdKernel, TakesAsManyChunksAsTheFieldHasElements) {
  for (const auto& [rows, columns] : {std::pair{1, 255}, {254, 2}, {128, 128}}) {
    check_products(*GetParam(), random_matrix(rows, columns, Form::general), {200}, {{true, 0}, {false, 0}});
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, SimdKernel, testing::ValuesIn(all_kernels()), kernel_name<Kernel>);

std::vector<std::uint8_t> elements_of(const Matrix& matrix) {
  return std::vector<std::uint8_t>(matrix.elements.begin(), matrix.elements.end());
}

Form form_of(const Matrix& matrix) { return simd::form_of(elements_of(matrix).data(), matrix.rows, matrix.columns); }

/// The matrix rows that compute all lost chunks. If find_rows() knows the form of these rows, `known_form` is this form.
struct Recovery {
  Matrix rows;
  std::optional<Form> known_form;
};

Recovery recovery_of(const Matrix& coding_rows, const Positions& erased) {
  const int k = coding_rows.columns;
  const auto code = simd::make_rs_code(simd::Design{.shape = {.data_chunk_count = k, .chunk_count = k + coding_rows.rows},
                                                    .coding_rows = coding_rows,
                                                    .kernel = &simd::scalar_kernel()});
  const simd::Losses losses = simd::losses(*code, erased, erased);
  const std::vector<std::uint8_t> elements = elements_of(coding_rows);
  const bool has_powers = form_of(coding_rows) == Form::powers;
  auto rows = std::make_unique<simd::RecoveryRows>();
  EXPECT_TRUE(simd::find_rows({elements, k, false, true, has_powers}, losses, *rows));
  Matrix matrix(losses.rebuilt.count, k);
  std::copy_n(rows->elements.begin(), matrix.elements.size(), matrix.elements.begin());
  return {matrix, rows->form};
}

TEST(SimdForms, AreRecognised) {
  for (int rows = 1; rows <= 4; rows++) {
    for (int columns = std::max(rows, 3); columns <= 14; columns++) {
      EXPECT_EQ(form_of(random_matrix(rows, columns, Form::general)), Form::general);
      EXPECT_EQ(form_of(random_matrix(rows, columns, Form::ones_row)), Form::ones_row);
      if (rows == 1) continue;
      EXPECT_EQ(form_of(random_matrix(rows, columns, Form::normalised)), Form::normalised);
      EXPECT_EQ(form_of(random_matrix(rows, columns, Form::powers)), Form::powers);
      EXPECT_EQ(form_of(random_matrix(rows, columns, Form::complementary)), Form::complementary);
    }
  }
  // The sum of each column is 0. Nevertheless, the form is not complementary, because the matrix has more rows than columns.
  Matrix matrix(3, 2);
  matrix.elements = {1, 2, 3, 4, 2, 6};
  EXPECT_EQ(form_of(matrix), Form::general);
}

TEST(SimdForms, OfCodingRowsAndOfRecoveryRows) {
  for (const Matrix& matrix : {simd::isa_vandermonde(8, 3), vandermonde_coding_matrix(GaloisField(8), 8, 3)}) {
    const bool is_isa = matrix == simd::isa_vandermonde(8, 3);
    EXPECT_EQ(form_of(matrix), is_isa ? Form::powers : Form::normalised);
    const auto expect = [&](const Positions& erased, Form form, std::optional<Form> known) {
      const Recovery recovery = recovery_of(matrix, erased);
      EXPECT_EQ(form_of(recovery.rows), form);
      EXPECT_EQ(recovery.known_form, known);
    };
    expect({5}, Form::ones_row, Form::ones_row);
    expect({2, 5}, Form::complementary, is_isa ? Form::syndromes : Form::complementary);
    expect({2, 5, 7}, Form::complementary, Form::complementary);
    expect({2, 8}, Form::complementary, std::nullopt);  // chunk 8 is the sum of all data chunks
    expect({2, 9}, Form::ones_row, std::nullopt);
    expect({9}, Form::general, std::nullopt);
  }
}

/// Whether `matrix` has a singular square submatrix with at most `most` rows.
bool has_singular_part(const Matrix& matrix, int most) {
  for (const Positions& rows : erasure_patterns(matrix.rows, most)) {
    for (const Positions& columns : erasure_patterns(matrix.columns, static_cast<int>(rows.size()))) {
      if (columns.size() != rows.size()) continue;
      Matrix part(static_cast<int>(rows.size()), static_cast<int>(rows.size()));
      for (int i = 0; i < part.rows; i++) {
        for (int j = 0; j < part.columns; j++) part.at(i, j) = matrix.at(rows[index(i)], columns[index(j)]);
      }
      if (!inverse(GaloisField(8), part)) return true;
    }
  }
  return false;
}

// In every refused pair, k and m are at least as large as in one of the four, so its matrix contains a singular one too.
TEST(SimdMatrices, OfIsaRecoverEveryLossIfAndOnlyIfTheyAreAllowed) {
  const auto check = [](int k, int m, bool is_allowed) {
    EXPECT_EQ(simd::is_isa_vandermonde_mds(k, m), is_allowed) << shape(k, m);
    EXPECT_NE(has_singular_part(simd::isa_vandermonde(k, m), std::min(k, m)), is_allowed) << shape(k, m);
  };
  for (const auto& [k, m] : {std::pair(21, 4), {5, 5}, {4, 21}, {40, 3}, {3, 40}, {254, 2}, {2, 60}}) {
    check(k, m, true);
  }
  for (const auto& [k, m] : {std::pair(22, 4), {6, 5}, {5, 6}, {4, 22}}) check(k, m, false);
}

TEST(SimdMatrices, OfTechniquesWithoutLimitsRecoverEveryLoss) {
  for (const auto& [k, m] : {std::pair(9, 6), {6, 8}}) {
    EXPECT_FALSE(has_singular_part(simd::isa_cauchy(k, m), 6));
    EXPECT_FALSE(has_singular_part(vandermonde_coding_matrix(GaloisField(8), k, m), 6));
  }
}

TEST(SimdPolicy, IsThatOfTheUserOrDependsOnSizeAndCpu) {
  using simd::StorePolicy;
  constexpr std::size_t much = std::size_t{1} << 40;
  EXPECT_EQ(simd::store_for(StorePolicy::temporal, 6, 1, much), Store::temporal);
  EXPECT_EQ(simd::store_for(StorePolicy::streaming, 6, 2, 1), Store::streaming);
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 6, 1, 4096), Store::temporal);
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 3, 1, much), Store::streaming);
#if defined(__x86_64__)
  const Store usual = __builtin_cpu_is("intel") ? Store::streaming : Store::temporal;
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 6, 2, much), usual);
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 4, 1, much), usual);
  const std::size_t four_fifths = simd::own_cache_bytes() / 5 * 4;
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 64, 64, four_fifths / 128), usual);
  EXPECT_EQ(simd::store_for(StorePolicy::automatic, 6, 2, four_fifths / 8), Store::temporal);
#endif
}

}  // namespace
}  // namespace ecbench::test
