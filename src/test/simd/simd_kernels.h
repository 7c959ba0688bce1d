// The kernels of plugin simd that a test program runs: simd_test those that this CPU supports, simd_emulated_test emulated ones. A
// kernel for chunks is emulated only if the CPU does not support its dispatch level.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "erasure_code/dispatch.h"
#include "plugins/simd/kernel.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

#if defined(ECBENCH_EMULATED_KERNELS)
/// These kernels are built from the same sources as the plugin's kernels. SIMDe emulates their instructions portably.
const Kernel& emulated_avx2_gfni_kernel();
const Kernel& emulated_avx512_kernel();
const Kernel& emulated_avx512_gfni_kernel();
const Kernel& emulated_neon_kernel();
const XorKernel& emulated_avx512_xor_kernel();
#endif

}  // namespace ecbench::simd

namespace ecbench::test {

inline std::vector<const simd::Kernel*> all_kernels() {
#if defined(ECBENCH_EMULATED_KERNELS)
  std::vector<const simd::Kernel*> kernels;
  for (const simd::Kernel* emulated : {&simd::emulated_avx2_gfni_kernel(), &simd::emulated_avx512_kernel(),
                                       &simd::emulated_avx512_gfni_kernel(), &simd::emulated_neon_kernel()}) {
    if (!cpu_has_dispatch_level(emulated->level)) kernels.push_back(emulated);
  }
  return kernels;
#else
  return simd::usable_kernels();
#endif
}

inline std::vector<const simd::XorKernel*> all_xor_kernels() {
#if defined(ECBENCH_EMULATED_KERNELS)
  return {&simd::emulated_avx512_xor_kernel()};
#else
  std::vector<const simd::XorKernel*> kernels{&simd::scalar_xor_kernel(), &simd::neon_xor_kernel()};
#if defined(__x86_64__)
  if (cpu_has_dispatch_level("avx2")) kernels.push_back(&simd::avx2_xor_kernel());
  if (cpu_has_dispatch_level("avx512")) kernels.push_back(&simd::avx512_xor_kernel());
#endif
  return kernels;
#endif
}

/// The name of a test whose parameter is a kernel.
template <class Kernel>
std::string kernel_name(const testing::TestParamInfo<const Kernel*>& kernel) {
  std::string name = std::to_string(kernel.index) + " " + kernel.param->name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

}  // namespace ecbench::test
