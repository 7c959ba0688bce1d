// This file is compiled with the same -march as the crate's C code. Therefore the compiler's macros show which vectors that C code
// uses. The file includes no header with code, because such code would be compiled only for this CPU, although other files share
// it.

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
