#include <algorithm>
#include <atomic>
#include <mutex>

// The header does not declare itself C, so it must come before those that include it.
extern "C" {
#include <gf_complete.h>
}

#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/isa/kernels.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/shec/backend.h"

namespace ecbench::shec {
namespace {

/// All products go over a segment before the next: it stays in the L1 cache.
constexpr std::size_t segment_size = 8 << 10;

/// True where GF-Complete has no kernels for the chosen level, which just ISA-L has.
std::atomic<bool> is_beyond_gf_complete = false;

/// A field of our own: libJerasure's are global, and set up with no lock.
class Field {
 public:
  explicit Field(int w) {
    if (gf_init_easy(&field_, w) == 0) throw Error("GF-Complete cannot set up GF(2^" + std::to_string(w) + ")");
  }
  ~Field() { gf_free(&field_, 1); }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  gf_t* get() const { return &field_; }

 private:
  mutable gf_t field_{};
};

struct Products : Program {
  explicit Products(std::vector<Product> list) : products(std::move(list)) {}
  std::vector<Product> products;
};

class GfCompleteBackend : public Backend {
 public:
  explicit GfCompleteBackend(int w) : w_(w), field_(w), needs_lock_(jerasure::multiplication_has_state(w)) {}

  std::unique_ptr<const Program> program(std::vector<Product> products, bool) const override {
    return std::make_unique<Products>(std::move(products));
  }

  void run(const Program& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto lock = needs_lock_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    for (std::size_t offset = 0; offset < chunk_size; offset += segment_size) {
      const int size = static_cast<int>(std::min(segment_size, chunk_size - offset));
      for (const Product& product : static_cast<const Products&>(program).products) {
        std::uint8_t* destination = chunks[index(product.destination)] + offset;
        for (std::size_t i = 0; i < product.sources.size(); i++) {
          field_.get()->multiply_region.w32(field_.get(), chunks[index(product.sources[i])] + offset, destination,
                                            product.coefficients[i], size, i > 0);
        }
      }
    }
  }

  std::size_t granule() const override { return index(w_ / 8); }

  std::string kernel() const override {
    {
      // The name is found by libJerasure's field of that width, which runs the same kernel.
      const std::lock_guard lock(jerasure::library_mutex());
      jerasure::set_up_field(w_);
    }
    return "GF-Complete " + jerasure::multiplication_kernel(w_) + ", " + jerasure::xor_kernel();
  }

 private:
  int w_;
  Field field_;
  bool needs_lock_;
  mutable std::mutex mutex_;
};

}  // namespace

std::unique_ptr<Backend> make_gf_complete_backend(int w) {
  if (is_beyond_gf_complete) {
    throw Error(
        "backend=jerasure is not allowed: GF-Complete has kernels for --dispatch scalar|ssse3|native alone; backend=isa has more");
  }
  return std::make_unique<GfCompleteBackend>(w);
}

std::vector<std::string> dispatch_levels() {
  return isa::dispatch_levels();
}

void set_dispatch(const std::string& level) {
  isa::set_dispatch(level);
  const std::vector<std::string> known = jerasure::dispatch_levels();
  is_beyond_gf_complete = level != native_dispatch && std::ranges::find(known, level) == known.end();
  if (!is_beyond_gf_complete) jerasure::set_dispatch(level);
}

}  // namespace ecbench::shec
