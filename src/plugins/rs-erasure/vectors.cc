// This file is compiled with the same -march as the crate's C code. Therefore the compiler's macros show which vector instructions
// the crate's C code uses. This file must not include a header that contains code. The code in such a header is compiled in this
// file and in other files, and the linker keeps only one of the compiled versions. If the linker kept the version from this file,
// the plugin could not run on CPUs without these vector instructions.

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
