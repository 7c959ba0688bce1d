// The plugin `jerasure`: Plank's codes, computed by libJerasure with GF-Complete, with the bytes of Ceph's plugin jerasure.
#include "erasure_code/plugin.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/codes.h"
#include "plugins/jerasure/gf_complete.h"

namespace ecbench::jerasure {
namespace {

// The techniques reed_sol_van and reed_sol_r6_op multiply whole chunks by field elements: Reed-Solomon codes over GF(2^w), w = 8,
// 16 or 32 (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon Coding", 2005; Anvin, "The mathematics of
// RAID-6").

Parameter word_size() {
  return {.name = "w",
          .default_value = "8",
          .choices = {8, 16, 32},
          .why = "libJerasure multiplies regions only in GF(2^8), GF(2^16) and GF(2^32)",
          .meaning = "bits of a field element"};
}

/// Locks library_mutex() and sets up GF(2^w) first.
template <typename MakeMatrix>
MatrixCodeDesign design(const Profile& profile, std::size_t padding_unit, MakeMatrix make_matrix) {
  check_chunk_count(profile);
  const int w = profile.integer("w");
  MatrixCodeDesign result{.shape = mapped_shape(profile), .w = w, .padding_unit = padding_unit, .matrix = nullptr};
  const std::lock_guard lock(library_mutex());
  set_up_field(w);
  result.matrix.reset(make_matrix(profile.integer("k"), profile.integer("m"), w));
  if (result.matrix == nullptr) throw Error("libJerasure could not make the matrix of this profile");
  return result;
}

std::unique_ptr<ErasureCode> make_reed_sol_van(const Profile& profile, const Context&) {
  const auto w = static_cast<std::size_t>(profile.integer("w"));
  const std::size_t padding_unit = profile.flag("jerasure-per-chunk-alignment") ? w * 16 : object_padding_unit(w);
  return make_matrix_code(design(profile, padding_unit, reed_sol_vandermonde_coding_matrix));
}

std::unique_ptr<ErasureCode> make_reed_sol_r6_op(const Profile& profile, const Context&) {
  const auto matrix = [](int k, int, int w) {
    set_up_raid6_field(w);
    return reed_sol_r6_coding_matrix(k, w);
  };
  const std::size_t padding_unit = object_padding_unit(static_cast<std::size_t>(profile.integer("w")));
  return make_raid6_code(design(profile, padding_unit, matrix));
}

Technique reed_sol_van() {
  return {.name = "reed_sol_van",
          .summary = "Reed-Solomon from a Vandermonde matrix, with any m",
          .parameters = {data_chunks("7"), coding_chunks("3"), word_size(), per_chunk_alignment(), mapping_parameter()},
          .make = make_reed_sol_van};
}

Technique reed_sol_r6_op() {
  return {.name = "reed_sol_r6_op",
          .summary = "Reed-Solomon for RAID-6, with m=2. Encoding needs only XORs and multiplications by two",
          .parameters = {data_chunks("7"), two_coding_chunks(), word_size(), mapping_parameter()},
          .make = make_reed_sol_r6_op};
}

// Makes products of chunks and the coefficients of a given matrix. The products use GF-Complete's
// kernels. Codes of other plugins run these products.

/// All products run on one segment, which stays in the L1 cache, and then on the next.
constexpr std::size_t segment_size = 8 << 10;

/// libJerasure's fields are global and set up without a lock. Products share this one, whose set-up takes about a millisecond.
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
    // kernel() reports the kernels of libJerasure's field, the same as those of field_, so it must also be set up.
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

/// In GF(2^w), w 8, 16 or 32. The argument of type ReadAgain has no effect.
std::unique_ptr<const ChunkProducts> make_products(std::vector<Product> products, int w, ReadAgain) {
  return std::make_unique<GfCompleteProducts>(std::move(products), w);
}

/// GF-Complete chooses its kernels at the first field of a process, so limit_kernels() comes before. Throws Error if another level
/// is in use.
Technique limited(Technique technique) {
  technique.make = [make = std::move(technique.make)](const Profile& profile, const Context& context) {
    limit_kernels(context.dispatch);
    return make(profile, context);
  };
  return technique;
}

std::vector<Technique> techniques() {
  std::vector<Technique> all{limited(reed_sol_van()), limited(reed_sol_r6_op())};
  const auto make = [](PacketMatrix matrix, const PacketLayout& layout, const Context&) {
    return make_packet_code(matrix, layout);
  };
  for (Technique& technique : packet_techniques(make)) all.push_back(limited(std::move(technique)));
  return all;
}

ProductMaker product_maker(const std::string& dispatch) {
  limit_kernels(dispatch);
  return make_products;
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "jerasure",
      .summary = "Reed-Solomon, Cauchy and minimum density RAID-6 codes of libJerasure 2 with GF-Complete",
      .techniques = techniques(),
      .dispatch_levels = dispatch_levels(),
      .products = product_maker,
  };
  return plugin;
}

}  // namespace

}  // namespace ecbench::jerasure

ECBENCH_PLUGIN(ecbench::jerasure::plugin())
