// The kernels of plugin simd that can be tested on this machine: the kernels that this CPU supports, and, in the program
// simd_emulated_test, emulated kernels. A kernel is emulated only if the CPU does not support its dispatch level.

#pragma once

#include <vector>

#include "erasure_code/dispatch.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

#if defined(ECBENCH_EMULATED_KERNELS)
/// These kernels are built from the same sources as the plugin's kernels. SIMDe emulates their instructions portably.
const Kernel& emulated_avx2_gfni_kernel();
const Kernel& emulated_avx512_kernel();
const Kernel& emulated_avx512_gfni_kernel();
const Kernel& emulated_neon_kernel();
#endif

}  // namespace ecbench::simd

namespace ecbench::test {

inline std::vector<const simd::Kernel*> emulated_kernels() {
#if defined(ECBENCH_EMULATED_KERNELS)
  return {&simd::emulated_avx2_gfni_kernel(), &simd::emulated_avx512_kernel(), &simd::emulated_avx512_gfni_kernel(),
          &simd::emulated_neon_kernel()};
#else
  return {};
#endif
}

inline std::vector<const simd::Kernel*> all_kernels() {
  std::vector<const simd::Kernel*> kernels = simd::usable_kernels();
  for (const simd::Kernel* emulated : emulated_kernels()) {
    if (!cpu_has_dispatch_level(emulated->level)) kernels.push_back(emulated);
  }
  return kernels;
}

}  // namespace ecbench::test
