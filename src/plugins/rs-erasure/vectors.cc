// Compiled with the same -march as the crate's C code, so the compiler's macros show which vector instructions that uses. Must not
// include a header that contains code: the linker could keep the version of this file, with which the plugin could not run on CPUs
// without these instructions.

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
