#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {
namespace {

struct Neon {};

}  // namespace

const XorKernel& neon_xor_kernel() {
  using Isa = Words<Neon, Vector16, Words8<Neon>, 8>;
  static constexpr XorKernel kernel{"NEON XOR program", 3, Isa::bytes * Isa::most_vectors, run_program<Isa>};
  return kernel;
}

}  // namespace ecbench::simd
