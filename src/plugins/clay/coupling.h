// The pairwise transform of the Clay paper (see geometry.h). It converts two coupled sub-chunks (C) to two uncoupled sub-chunks
// (U), and back. Only the C are stored in chunks. In each plane, the U of all nodes form a codeword of the scalar code. Ceph does
// not use the matrix of the paper for this transform. Instead, Ceph uses a 2+2 code with the plugin and the technique of the scalar
// code (ErasureCodeClay.cc). The data chunks of the 2+2 code are the two C, and its coding chunks are the two U. The first C and
// the first U belong to the node with the higher x. Any two of the four sub-chunks determine the other two.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/clay/scalar_code.h"

namespace ecbench::clay {

/// "Own" is one member of a pair, "partner" the other.
enum class Step {
  own_u_from_both_c,        ///< computes the own U from the own C and the partner's C
  own_u_from_partner_u,     ///< computes the own U from the own C and the partner's U
  own_c_from_partner_c,     ///< computes the own C from the own U and the partner's C
  own_c_from_both_u,        ///< computes the own C from the own U and the partner's U
  partner_c_from_own_both,  ///< computes the partner's C from the own C and the own U
};

class Coupling {
 public:
  /// 2+2 chunks. Throws Error if it cannot recover a loss of two.
  explicit Coupling(const ScalarCode& code);

  /// `first` and `second` are the sources in the order of Step's comments, `size` bytes each; `result` is neither. `is_high`: the
  /// own node has the higher x.
  void run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
           std::size_t size) const;

 private:
  static constexpr std::size_t step_count = 5;

  /// Indexed by step and is_high.
  std::array<std::array<std::unique_ptr<const ChunkProducts>, 2>, step_count> works_;
};

}  // namespace ecbench::clay
