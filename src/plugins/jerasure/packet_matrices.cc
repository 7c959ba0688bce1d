// Makes the bit-matrices of the packet codes with libJerasure.

#include "plugins/jerasure/galois_fields.h"
#include "plugins/jerasure/library.h"
#include "plugins/jerasure/packet_code.h"

namespace ecbench::jerasure {

LibraryMatrix make_bit_matrix(PacketMatrix matrix, int k, int m, int w) {
  const bool is_cauchy = matrix == PacketMatrix::cauchy_orig || matrix == PacketMatrix::cauchy_good;
  set_up_field(is_cauchy ? w : xor_field);
  if (is_cauchy) {
    const LibraryMatrix elements(matrix == PacketMatrix::cauchy_orig ? cauchy_original_coding_matrix(k, m, w)
                                                                     : cauchy_good_general_coding_matrix(k, m, w));
    return LibraryMatrix(elements == nullptr ? nullptr : jerasure_matrix_to_bitmatrix(k, m, w, elements.get()));
  }
  if (matrix == PacketMatrix::liberation) return LibraryMatrix(liberation_coding_bitmatrix(k, w));
  if (matrix == PacketMatrix::blaum_roth) return LibraryMatrix(blaum_roth_coding_bitmatrix(k, w));
  return LibraryMatrix(liber8tion_coding_bitmatrix(k));
}

}  // namespace ecbench::jerasure
