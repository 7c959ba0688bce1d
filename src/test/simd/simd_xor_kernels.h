// The XOR kernels of plugin simd that can be tested on this machine: the kernels that this CPU can run, and, in the program
// simd_emulated_test, an emulation of the kernel for AVX-512.

#pragma once

#include <vector>

#include "erasure_code/dispatch.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

#if defined(ECBENCH_EMULATED_KERNELS)
/// This kernel is built from the same source as avx512_xor_kernel(). SIMDe emulates its instructions portably.
const XorKernel& emulated_avx512_xor_kernel();
#endif

}  // namespace ecbench::simd

namespace ecbench::test {

inline std::vector<const simd::XorKernel*> all_xor_kernels() {
  std::vector<const simd::XorKernel*> kernels{&simd::scalar_xor_kernel(), &simd::neon_xor_kernel()};
#if defined(ECBENCH_EMULATED_KERNELS)
  kernels.push_back(&simd::emulated_avx512_xor_kernel());
#endif
#if defined(__x86_64__)
  if (cpu_has_dispatch_level("avx2")) kernels.push_back(&simd::avx2_xor_kernel());
  if (cpu_has_dispatch_level("avx512")) kernels.push_back(&simd::avx512_xor_kernel());
#endif
  return kernels;
}

}  // namespace ecbench::test
