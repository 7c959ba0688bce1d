#include "plugins/clay/scalar_code.h"

#include <algorithm>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"

namespace ecbench::clay {
namespace {

/// ChunkProducts for a decode plan.
class PlannedWork : public ChunkProducts, public BenchmarkInfo {
 public:
  PlannedWork(const ErasureCode& code, std::shared_ptr<const DecodePlan> plan) : code_(code), plan_(std::move(plan)) {}

  void run(std::span<std::uint8_t* const> chunks, std::size_t size) const override { code_.decode(*plan_, chunks, size); }
  std::size_t granule() const override { return code_.chunk_size(1); }
  std::string kernel() const override { return info_of(code_).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(code_).kernel_functions(); }

 private:
  const ErasureCode& code_;
  std::shared_ptr<const DecodePlan> plan_;
};

std::shared_ptr<const DecodePlan> plan_if_any(const ErasureCode& code, const Positions& erased, const Positions& rebuilt) {
  try {
    return code.plan_uncached(erased, rebuilt);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return nullptr;
  }
}

}  // namespace

ScalarCode::ScalarCode(std::unique_ptr<const ErasureCode> code) : code_(std::move(code)) {}

ScalarCode::ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products)
    : code_(std::move(code)), matrix_(std::move(matrix)), make_products_(std::move(make_products)) {}

std::optional<Rebuilding> ScalarCode::rebuilding(const Positions& erased, const Positions& rebuilt) const {
  Rebuilding result{nullptr, std::vector<bool>(index(code_->chunk_count()), false)};
  if (!matrix_) {
    const std::shared_ptr<const DecodePlan> plan = plan_if_any(*code_, erased, rebuilt);
    if (plan == nullptr) return {};
    for (const int chunk : plan->reads) result.reads[index(chunk)] = true;
    result.work = std::make_unique<PlannedWork>(*code_, plan);
    return result;
  }
  const std::optional<std::vector<Product>> found = products(erased, rebuilt);
  if (!found) return {};
  for (const Product& product : *found) {
    for (const int chunk : product.sources) result.reads[index(chunk)] = true;
  }
  result.work = make_products_(*found, 8, ReadAgain::soon);
  return result;
}

bool ScalarCode::can_rebuild(const Positions& erased) const {
  return matrix_ ? products(erased, erased).has_value() : plan_if_any(*code_, erased, erased) != nullptr;
}

/// Each coding chunk is an equation: the sum of all chunks, times their coefficients, is zero. Solves them for the erased chunks.
std::optional<std::vector<Product>> ScalarCode::products(const Positions& erased, const Positions& rebuilt) const {
  const int k = code_->data_chunk_count();
  std::vector<int> order = erased;
  for (int chunk = 0; chunk < code_->chunk_count(); chunk++) {
    if (!std::ranges::binary_search(erased, chunk)) order.push_back(chunk);
  }
  Matrix equations(matrix_->rows, code_->chunk_count());
  for (int row = 0; row < equations.rows; row++) {
    for (int column = 0; column < equations.columns; column++) {
      const int chunk = order[index(column)];
      equations.at(row, column) = chunk < k ? matrix_->at(row, chunk) : Element{chunk == k + row};
    }
  }
  const int unknowns = static_cast<int>(erased.size());
  if (static_cast<int>(reduce(GaloisField(8), equations, unknowns).size()) < unknowns) return {};
  std::vector<Product> result;
  for (int row = 0; row < unknowns; row++) {
    if (!std::ranges::binary_search(rebuilt, erased[index(row)])) continue;
    Product product{erased[index(row)], {}, {}};
    for (int column = unknowns; column < equations.columns; column++) {
      if (equations.at(row, column) == 0) continue;
      product.sources.push_back(order[index(column)]);
      product.coefficients.push_back(equations.at(row, column));
    }
    result.push_back(std::move(product));
  }
  return result;
}

}  // namespace ecbench::clay
