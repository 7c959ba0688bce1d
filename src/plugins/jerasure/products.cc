#include "plugins/jerasure/products.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/library.h"

namespace ecbench::jerasure {
namespace {

/// All products run on one segment, which stays in the L1 cache, and then on the next.
constexpr std::size_t segment_size = 8 << 10;

/// libJerasure's fields are global and set up without a lock. Products with the same w share this one, which takes about a
/// millisecond to set up.
struct Field {
  explicit Field(int w) {
    if (gf_init_easy(&field, w) == 0) throw Error("GF-Complete cannot set up GF(2^" + std::to_string(w) + ")");
  }
  ~Field() { gf_free(&field, 1); }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  gf_t field{};
  std::mutex mutex;  // locked during a multiplication if multiplication_has_state() is true for this field
};

Field& shared_field(int w) {
  static std::mutex mutex;
  static std::map<int, Field> fields;
  const std::lock_guard lock(mutex);
  return fields.try_emplace(w, w).first->second;
}

class GfCompleteProducts : public ChunkProducts, public BenchmarkInfo {
 public:
  GfCompleteProducts(std::vector<Product> products, int w)
      : products_(std::move(products)), w_(w), field_(shared_field(w)), needs_lock_(multiplication_has_state(w)) {
    // kernel() reports the kernels of libJerasure's field GF(2^w). They are the same as the kernels of field_. Therefore
    // libJerasure's field must also be set up.
    const std::lock_guard lock(library_mutex());
    set_up_field(w);
  }

  void run(std::span<std::uint8_t* const> chunks, std::size_t size) const override {
    const auto lock = needs_lock_ ? std::unique_lock(field_.mutex) : std::unique_lock<std::mutex>();
    for (std::size_t offset = 0; offset < size; offset += segment_size) {
      const int segment = static_cast<int>(std::min(segment_size, size - offset));
      for (const Product& product : products_) {
        std::uint8_t* destination = chunks[index(product.destination)] + offset;
        for (std::size_t i = 0; i < product.sources.size(); i++) {
          field_.field.multiply_region.w32(&field_.field, chunks[index(product.sources[i])] + offset, destination,
                                           product.coefficients[i], segment, i > 0);
        }
      }
    }
  }

  std::size_t granule() const override { return index(w_ / 8); }

  std::string kernel() const override { return "GF-Complete " + multiplication_kernel(w_) + ", " + xor_kernel(); }

  std::vector<KernelFunction> kernel_functions() const override { return field_functions(w_); }

 private:
  std::vector<Product> products_;
  int w_;
  Field& field_;
  bool needs_lock_;
};

}  // namespace

std::unique_ptr<const ChunkProducts> make_products(std::vector<Product> products, int w, ReadAgain) {
  return std::make_unique<GfCompleteProducts>(std::move(products), w);
}

}  // namespace ecbench::jerasure
