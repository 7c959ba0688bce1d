// The techniques reed_sol_van and reed_sol_r6_op.

#include <reed_sol.h>

#include <algorithm>

#include "erasure_code/error.h"
#include "erasure_code/mapping.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/matrix_code.h"
#include "plugins/jerasure/padding.h"
#include "plugins/jerasure/parameters.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

Parameter word_size() {
  return {.name = "w",
          .default_value = "8",
          .minimum = 8,
          .maximum = 32,
          .why = "the library multiplies regions in GF(2^8), GF(2^16) and GF(2^32) alone",
          .meaning = "bits of a field element: 8, 16 or 32"};
}

void check_word_size(const Profile& profile) {
  const int w = profile.integer("w");
  if (w != 8 && w != 16 && w != 32) refuse(profile, "w", "8, 16 or 32", word_size().why);
}

/// `make_matrix` is called under the library's lock, with GF(2^w) set up.
template <typename MakeMatrix>
MatrixCodeDesign design(const Profile& profile, std::size_t padding_unit, MakeMatrix make_matrix) {
  check_word_size(profile);
  check_chunk_count(profile);
  const int k = profile.integer("k");
  const int n = k + profile.integer("m");
  const int w = profile.integer("w");
  Shape shape{.data_chunk_count = k, .chunk_count = n, .data_positions = mapped_data_positions(profile, k, n)};
  MatrixCodeDesign result{.shape = std::move(shape), .w = w, .padding_unit = padding_unit, .matrix = nullptr};
  const std::lock_guard lock(library_mutex());
  set_up_field(w);
  result.matrix.reset(make_matrix(k, n - k, w));
  if (result.matrix == nullptr) throw Error("libJerasure could not make the matrix of this profile");
  return result;
}

std::unique_ptr<ErasureCode> make_reed_sol_van(const Profile& profile, const CodeFactory&) {
  const auto w = static_cast<std::size_t>(profile.integer("w"));
  const std::size_t padding_unit = profile.flag("jerasure-per-chunk-alignment") ? w * 16 : object_padding_unit(w);
  return std::make_unique<MatrixCode>(design(profile, padding_unit, reed_sol_vandermonde_coding_matrix));
}

/// Encodes with reed_sol_r6_encode, which multiplies by two alone (Horner's rule), as Ceph does. The bytes are the matrix's.
class Raid6Code : public MatrixCode {
 public:
  explicit Raid6Code(MatrixCodeDesign raid6_design) : MatrixCode(std::move(raid6_design)) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check_granule(chunk_size, sizeof(long));
    ChunkPointers pointers = pointers_to(data, coding);
    const int k = data_chunk_count();
    in_segments(pointers, chunk_count(), chunk_size, std::size_t{1} << 30,
                [&](int size) { reed_sol_r6_encode(k, w(), pointers.data(), pointers.data() + k, size); });
  }

  std::string kernel() const override {
    return "encode: GF-Complete " + doubling_kernel(w()) + ", " + xor_kernel() + "; decode: " + MatrixCode::kernel();
  }
};

std::unique_ptr<ErasureCode> make_reed_sol_r6_op(const Profile& profile, const CodeFactory&) {
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
          .summary = "Reed-Solomon from a Vandermonde matrix: any m",
          .parameters = {data_chunks("7"), coding_chunks("3"), word_size(), per_chunk_alignment(), mapping_parameter()},
          .make = make_reed_sol_van};
}

Technique reed_sol_r6_op() {
  return {.name = "reed_sol_r6_op",
          .summary = "Reed-Solomon for RAID-6: m=2, encoded by multiplying by two",
          .parameters = {data_chunks("7"), two_coding_chunks(), word_size(), mapping_parameter()},
          .make = make_reed_sol_r6_op};
}

}  // namespace ecbench::jerasure
