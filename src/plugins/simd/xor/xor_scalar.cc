#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {
namespace {

struct Scalar {};

}  // namespace

const XorKernel& scalar_xor_kernel() {
  using Isa = Words<Scalar, std::uint64_t, Bytes<Scalar>, 8>;
  static constexpr XorKernel kernel{"scalar XOR program", 1, Isa::bytes * Isa::most_vectors, run_program<Isa>};
  return kernel;
}

}  // namespace ecbench::simd
