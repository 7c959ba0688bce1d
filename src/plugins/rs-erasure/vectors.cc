// This file is compiled with the same -march as the crate's C code. Therefore the compiler's macros show which vector instructions
// the crate's C code uses. The file must not include a header that contains code. Other files contain the same code, and the
// linker keeps only one compiled version. If it kept the version of this file, CPUs without these vector instructions could not run
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
