// The kernels of plugin simd that can be tested here: those that this CPU supports, and the others by emulation.

#pragma once

#include <vector>

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// The same source as avx512_gfni_kernel(), built with SIMDe's portable emulation of its instructions.
const Kernel& emulated_avx512_gfni_kernel();

}  // namespace ecbench::simd

namespace ecbench::test {

inline std::vector<const simd::Kernel*> all_kernels() {
  std::vector<const simd::Kernel*> kernels = simd::usable_kernels();
  kernels.push_back(&simd::emulated_avx512_gfni_kernel());
  return kernels;
}

}  // namespace ecbench::test
