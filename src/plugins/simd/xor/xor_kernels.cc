#include "plugins/simd/xor/xor_kernel.h"

namespace ecbench::simd {

const XorKernel& xor_kernel_of(const std::string& level) {
#if defined(__x86_64__)
  if (level.starts_with("avx512")) return avx512_xor_kernel();
  if (level.starts_with("avx2")) return avx2_xor_kernel();
#endif
  return level == "neon" ? neon_xor_kernel() : scalar_xor_kernel();
}

}  // namespace ecbench::simd
