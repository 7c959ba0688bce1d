#include "plugins/shec/shec_code.h"

#include <optional>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "erasure_code/matrix.h"
#include "plugins/shec/recovery.h"
#include "plugins/shec/schedule.h"

namespace ecbench::shec {
namespace {

constexpr int int_size = 4;

Shape shape_of(const Shingles& shingles) {
  const int k = static_cast<int>(shingles.front().size());
  return {.data_chunk_count = k, .chunk_count = k + static_cast<int>(shingles.size())};
}

Matrix shingled_matrix(const GaloisField& field, const Shingles& shingles) {
  Matrix matrix = vandermonde_coding_matrix(field, static_cast<int>(shingles.front().size()), static_cast<int>(shingles.size()));
  for (int row = 0; row < matrix.rows; row++) {
    for (int column = 0; column < matrix.columns; column++) {
      if (!shingles[index(row)][index(column)]) matrix.at(row, column) = 0;
    }
  }
  return matrix;
}

std::vector<Product> encoding_products(const Matrix& coding_rows) {
  std::vector<Product> products;
  for (int row = 0; row < coding_rows.rows; row++) {
    Product product{coding_rows.columns + row, {}, {}};
    for (int column = 0; column < coding_rows.columns; column++) {
      if (coding_rows.at(row, column) == 0) continue;
      product.sources.push_back(column);
      product.coefficients.push_back(coding_rows.at(row, column));
    }
    products.push_back(std::move(product));
  }
  return products;
}

}  // namespace

struct ShecCode::Plan : DecodePlan {
  std::unique_ptr<const ChunkProducts> products;
};

ShecCode::ShecCode(const Shingles& shingles, int w, ProductMaker make_products)
    : ErasureCode(shape_of(shingles)),
      field_(w),
      coding_rows_(shingled_matrix(field_, shingles)),
      make_products_(std::move(make_products)),
      encoding_(make_products_(encoding_products(coding_rows_), w, ReadAgain::later)) {
  for (int row = 0; row < coding_rows_.rows; row++) {
    for (int column = 0; column < coding_rows_.columns; column++) {
      const Element factor = coding_rows_.at(row, column);
      factors_.push_back(factor <= 1 ? nullptr : make_products_({Product{1, {0}, {factor}}}, w, ReadAgain::soon));
    }
  }
}

std::size_t ShecCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), index(field_.w() * int_size));
}

void ShecCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                      std::size_t chunk_size) const {
  check_granule(chunk_size);
  const ChunkPointers<std::uint8_t> pointers = chunk_pointers<std::uint8_t>(data, coding);
  encoding_->run(std::span(pointers).first(index(chunk_count())), chunk_size);
}

std::unique_ptr<DecodePlan> ShecCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  const std::optional<Recovery> recovery = smallest_recovery(field_, coding_rows_, erased, rebuilt);
  if (!recovery) refuse_unrecoverable(erased, "the available chunks do not determine the wanted chunks");
  auto plan = std::make_unique<Plan>();
  plan->reads = recovery->reads;
  plan->products = make_products_(cheapest_order(field_, coding_rows_, *recovery), field_.w(), ReadAgain::soon);
  return plan;
}

void ShecCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  check_granule(chunk_size);
  static_cast<const Plan&>(plan).products->run(chunks, chunk_size);
}

void ShecCode::check_granule(std::size_t chunk_size) const {
  if (chunk_size % encoding_->granule() == 0) return;
  throw Error("chunks of " + std::to_string(chunk_size) + " bytes cannot be coded: their size must be a multiple of " +
              std::to_string(encoding_->granule()) + " bytes (the size of a field element)");
}

}  // namespace ecbench::shec
