#include <algorithm>
#include <deque>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "plugins/simd/multiplication.h"

namespace ecbench::simd {
namespace {

/// Products with the same sources. One pass over them computes as many products as the kernel's registers allow.
struct Step {
  Step(const Kernel& kernel, const Matrix& matrix) : multiplication(kernel, matrix) {}

  std::vector<int> sources;
  std::vector<int> destinations;
  Multiplication multiplication;
};

Matrix coefficients(std::span<const Product> products) {
  Matrix matrix(static_cast<int>(products.size()), static_cast<int>(products.front().sources.size()));
  for (int row = 0; row < matrix.rows; row++) {
    for (int column = 0; column < matrix.columns; column++) {
      matrix.at(row, column) = products[index(row)].coefficients[index(column)];
    }
  }
  return matrix;
}

class SimdProducts : public ChunkProducts, public BenchmarkInfo {
 public:
  SimdProducts(const Kernel& kernel, std::span<const Product> products, ReadAgain read_again)
      : kernel_(kernel), read_again_(read_again) {
    while (!products.empty()) {
      const auto is_other = [&](const Product& product) { return product.sources != products.front().sources; };
      const auto alike = products.first(static_cast<std::size_t>(std::ranges::find_if(products, is_other) - products.begin()));
      Step& step = steps_.emplace_back(kernel_, coefficients(alike));
      step.sources = alike.front().sources;
      for (const Product& product : alike) step.destinations.push_back(product.destination);
      products = products.subspan(alike.size());
    }
  }

  void run(std::span<std::uint8_t* const> chunks, std::size_t size) const override {
    for (const Step& step : steps_) {
      ChunkPointers<const std::uint8_t> sources;
      ChunkPointers<std::uint8_t> destinations;
      for (std::size_t i = 0; i < step.sources.size(); i++) sources[i] = chunks[index(step.sources[i])];
      for (std::size_t i = 0; i < step.destinations.size(); i++) destinations[i] = chunks[index(step.destinations[i])];
      step.multiplication.run(std::span(sources).first(step.sources.size()),
                              std::span(destinations).first(step.destinations.size()), size, store(step, size));
    }
  }

  std::size_t granule() const override { return 1; }
  std::string kernel() const override { return kernel_.name; }

 private:
  // If there are several steps, a later step may read the result of an earlier step, so results are written through the caches.
  Store store(const Step& step, std::size_t size) const {
    const bool is_read_soon = read_again_ == ReadAgain::soon || steps_.size() > 1;
    return is_read_soon ? Store::temporal : store_for(StorePolicy::automatic, step.sources.size(), step.destinations.size(), size);
  }

  const Kernel& kernel_;
  ReadAgain read_again_;
  std::deque<Step> steps_;  // not a vector, because a Multiplication cannot be moved
};

}  // namespace

ProductMaker product_maker(const std::string& dispatch) {
  return [&kernel = kernel_of(dispatch)](const std::vector<Product>& products, int w, ReadAgain read_again) {
    if (w != 8)
      throw Error("backend=simd is not allowed with w=" + std::to_string(w) +
                  ": its kernels compute only in GF(2^8); choose another backend or w=8");
    return std::make_unique<SimdProducts>(kernel, products, read_again);
  };
}

}  // namespace ecbench::simd
