// Limits the kernels that GF-Complete uses, and finds their names. GF-Complete chooses its kernels only once, when a process sets
// up its first field. At that time, GF-Complete reads the extensions of the CPU. It also reads the environment variables
// GF_COMPLETE_DISABLE_SSE2, _SSE3, _SSSE3, _SSE4 and _SSE4_PCLMUL, and on ARM, GF_COMPLETE_DISABLE_NEON (gf_cpu.c). Therefore all
// codes of a process have the same dispatch level. On x86, the fields that ecbench uses need at most SSSE3 to multiply regions.
// Only other fields use SSE4 and PCLMUL.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"

namespace ecbench::jerasure {

/// Level scalar uses only kernels in C. The compiler may use SSE2 instructions for these kernels. Level ssse3 also uses the kernels
/// for SSE2, SSE3 and SSSE3.
std::vector<std::string> dispatch_levels();

/// Limits GF-Complete to one of dispatch_levels(). With "native", this function sets no limit: the CPU and the environment
/// variables determine the kernels. Throws Error if the limit has no effect. Possible reasons: a field already exists and uses
/// other kernels; an environment variable disables an extension of level ssse3; the library was built for only one level. Also
/// throws Error if `level` is "native" and an earlier call has set a limit.
void limit_kernels(const std::string& level);

/// True if GF-Complete uses SSSE3, false if it does not or if this is unknown.
bool uses_ssse3();

/// The name of the kernel that multiplies regions in GF(2^w), for example "w=8 split table 4,8 SSSE3". w is 8, 16 or 32. To find
/// the name, multiplication_kernel() sets up fields that have only one possible kernel. It compares the pointer to their kernel
/// with the pointer in the field GF(2^w). This field must be set up, and the caller must not hold library_mutex().
std::string multiplication_kernel(int w);

/// The name of the kernel that multiplies regions by two in reed_sol_r6_encode, for example "w=8 times two SSE2".
std::string doubling_kernel(int w);

/// The name of the kernel that XORs regions, for example "XOR SSE2".
std::string xor_kernel();

/// The functions to which the field GF(2^w) contains pointers. Most of these functions have no symbol. The field must be set up,
/// and the caller must not hold library_mutex().
std::vector<KernelFunction> field_functions(int w);

/// The function that multiplies regions by two in reed_sol_r6_encode.
KernelFunction doubling_function(int w);

}  // namespace ecbench::jerasure
