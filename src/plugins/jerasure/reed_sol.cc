// The techniques reed_sol_van and reed_sol_r6_op.

#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "erasure_code/jerasure_techniques.h"
#include "erasure_code/plugin.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/library.h"
#include "plugins/jerasure/matrix_code.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

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
  return std::make_unique<MatrixCode>(design(profile, padding_unit, reed_sol_vandermonde_coding_matrix));
}

/// reed_sol_r6_encode as in Ceph: XORs and multiplications by two (Horner's rule), with the result of the coding matrix.
class Raid6Code : public MatrixCode {
 public:
  explicit Raid6Code(MatrixCodeDesign raid6_design) : MatrixCode(std::move(raid6_design)) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check_granule(chunk_size, sizeof(long));
    auto pointers = chunk_pointers<char>(data, coding);
    const int k = data_chunk_count();
    in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit,
                [&](int size) { reed_sol_r6_encode(k, w(), pointers.data(), pointers.data() + k, size); });
  }

  std::string kernel() const override {
    return "encode: GF-Complete " + doubling_kernel(w()) + ", " + xor_kernel() + "; decode: " + MatrixCode::kernel();
  }

  std::vector<KernelFunction> kernel_functions() const override {
    std::vector<KernelFunction> functions = MatrixCode::kernel_functions();
    functions.push_back(doubling_function(w()));
    return functions;
  }
};

std::unique_ptr<ErasureCode> make_reed_sol_r6_op(const Profile& profile, const Context&) {
  const auto matrix = [](int k, int, int w) {
    set_up_raid6_field(w);
    return reed_sol_r6_coding_matrix(k, w);
  };
  const std::size_t padding_unit = object_padding_unit(static_cast<std::size_t>(profile.integer("w")));
  return std::make_unique<Raid6Code>(design(profile, padding_unit, matrix));
}

}  // namespace

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

}  // namespace ecbench::jerasure
