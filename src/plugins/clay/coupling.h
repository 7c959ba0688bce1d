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

/// A computation for a pair of nodes. "Own" is one member of the pair, "partner" is the other member.
enum class Step {
  own_u_from_both_c,        ///< computes the own U from the own C and the partner's C
  own_u_from_partner_u,     ///< computes the own U from the own C and the partner's U
  own_c_from_partner_c,     ///< computes the own C from the own U and the partner's C
  own_c_from_both_u,        ///< computes the own C from the own U and the partner's U
  partner_c_from_own_both,  ///< computes the partner's C from the own C and the own U
};

class Coupling {
 public:
  /// `code` must have 2+2 chunks. Throws Error if there is a loss of two chunks that `code` cannot recover.
  explicit Coupling(const ScalarCode& code);

  /// Computes `result` from the sources `first` and `second`. The comments of Step name the sources in this order. `is_high` is
  /// true if the own node has the higher x. Each of the three pointers is the address of `size` bytes. `result` must not be one of
  /// the sources.
  void run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
           std::size_t size) const;

 private:
  static constexpr std::size_t step_count = 5;

  /// Indexed by step and is_high.
  std::array<std::array<std::unique_ptr<const ChunkProducts>, 2>, step_count> works_;
};

}  // namespace ecbench::clay
