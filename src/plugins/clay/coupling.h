// The pairwise transform. It couples two stored sub-chunks C with two sub-chunks U; each plane of the U is a codeword of the scalar
// code. Ceph does not use the matrix of the paper for this, but a 2+2 code of the same kind as the scalar code
// (ErasureCodeClay.cc): its data chunks are the two C, its coding chunks the two U, the higher x first. Any two of the four
// determine the others.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/clay/scalar_code.h"

namespace ecbench::clay {

/// What is computed for a pair, as seen from one of its two members.
enum class Step {
  own_u_from_both_c,        ///< U from the own C and the partner's C
  own_u_from_partner_u,     ///< U from the own C and the partner's U
  own_c_from_partner_c,     ///< C from the own U and the partner's C
  own_c_from_both_u,        ///< C from the own U and the partner's U
  partner_c_from_own_both,  ///< the partner's C from the own C and the own U
};

class Coupling {
 public:
  /// Throws Error if `code`, of 2+2 chunks, cannot rebuild any two of the four chunks from the other two.
  explicit Coupling(const ScalarCode& code);

  /// `is_high`: the own node has the higher x. Computes `result` from the two sources, in the order in which the name of the step
  /// mentions them. All have `size` bytes; `result` must be neither source.
  void run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
           std::size_t size) const;

 private:
  static constexpr std::size_t step_count = 5;

  /// Indexed by step and is_high.
  std::array<std::array<std::unique_ptr<const ChunkProducts>, 2>, step_count> works_;
};

}  // namespace ecbench::clay
