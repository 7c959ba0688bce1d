// The techniques cauchy_orig and cauchy_good.

#include <cauchy.h>

#include "erasure_code/mapping.h"
#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/packet_code.h"
#include "plugins/jerasure/padding.h"
#include "plugins/jerasure/parameters.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

constexpr std::size_t chunk_alignment_of_ceph = 16;

using MakeMatrix = int* (*)(int k, int m, int w);

Parameter word_size() {
  return {.name = "w",
          .default_value = "8",
          .minimum = 2,
          .maximum = 32,
          .why = "a chunk needs a field element of its own, and the library has fields up to GF(2^32)",
          .meaning = "packets of a block, and bits of a field element; k+m is at most 2^w"};
}

std::size_t padding_unit(const Profile& profile) {
  const std::size_t unit = block_size(profile);
  if (!profile.flag("jerasure-per-chunk-alignment")) return object_padding_unit(unit);
  if (unit % chunk_alignment_of_ceph != 0) {
    refuse(profile, "jerasure-per-chunk-alignment", "only false with w*packetsize=" + std::to_string(unit),
           "Ceph pads such chunks to multiples of 16 that are no multiple of w*packetsize, and overruns them");
  }
  return unit;
}

std::unique_ptr<ErasureCode> make_code(const Profile& profile, MakeMatrix make_matrix) {
  return make_packet_code(profile, padding_unit(profile), [make_matrix](int k, int m, int w) {
    set_up_field(w);
    const LibraryMatrix matrix(make_matrix(k, m, w));
    return LibraryMatrix(matrix == nullptr ? nullptr : jerasure_matrix_to_bitmatrix(k, m, w, matrix.get()));
  });
}

Technique cauchy(const std::string& name, const std::string& summary, MakeMatrix make_matrix) {
  return {
      .name = name,
      .summary = summary,
      .parameters = {data_chunks("7"), coding_chunks("3"), word_size(), packet_size(), per_chunk_alignment(), mapping_parameter()},
      .make = [make_matrix](const Profile& profile, const Context&) { return make_code(profile, make_matrix); }};
}

}  // namespace

Technique cauchy_orig() {
  return cauchy("cauchy_orig", "Cauchy Reed-Solomon by XORs: any m", cauchy_original_coding_matrix);
}

Technique cauchy_good() {
  return cauchy("cauchy_good", "Cauchy Reed-Solomon by XORs, from a matrix that needs fewer: any m",
                cauchy_good_general_coding_matrix);
}

}  // namespace ecbench::jerasure
