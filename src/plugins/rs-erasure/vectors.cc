// Compiled with the same -march as the crate's C code, to find its vectors by the compiler's macros. This file includes no header
// with code, so no code that other files share is compiled only for this CPU.

#include "plugins/rs-erasure/vectors.h"

namespace ecbench::rs_erasure {

const char* vectors() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__SSSE3__)
  return "ssse3";
#else
  return "scalar";
#endif
}

}  // namespace ecbench::rs_erasure
