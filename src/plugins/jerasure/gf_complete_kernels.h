// The kernels that GF-Complete runs, and how they are limited. GF-Complete chooses its kernels only once, when a process sets up
// its first field. It then reads the CPU's extensions and the environment variables GF_COMPLETE_DISABLE_SSE2, _SSE3, _SSSE3, _SSE4
// and _SSE4_PCLMUL, or on ARM _NEON (gf_cpu.c). Therefore all codes of a process have the same level. On x86, the fields that are
// used here need at most SSSE3 to multiply regions. Only other fields use SSE4 and PCLMUL.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"

namespace ecbench::jerasure {

/// scalar: no kernels for vector units, although the compiler may use SSE2 for C code. ssse3: the kernels for SSE2, SSE3 and SSSE3.
std::vector<std::string> dispatch_levels();

/// Limits GF-Complete to one of dispatch_levels(). With "native", this function sets no limit: the CPU and the environment
/// variables determine the kernels. Throws Error if the limit has no effect. Possible reasons: a field already exists and uses
/// other kernels; the environment disables an extension of level ssse3; the library was built for only one level. Also throws Error
/// if `level` is "native" and an earlier call has set a limit.
void limit_kernels(const std::string& level);

/// True if GF-Complete uses SSSE3, false if it does not or if this is unknown.
bool uses_ssse3();

/// The kernel that multiplies regions in GF(2^w), w = 8, 16 or 32: "w=8 split table 4,8 SSSE3". To find the name, the function of
/// this field is compared with the functions of fields that have only one possible kernel. The field must be set up, and
/// library_mutex() must not be held.
std::string multiplication_kernel(int w);

/// The kernel of reed_sol_r6_encode, which needs only XORs and multiplications by two: "w=8 times two SSE2".
std::string doubling_kernel(int w);

/// The kernel that adds regions: "XOR SSE2".
std::string xor_kernel();

/// The functions that the field GF(2^w) calls by pointer. GF-Complete has no symbols for most of them. The field must be set up,
/// and library_mutex() must not be held.
std::vector<KernelFunction> field_functions(int w);

/// The function that multiplies regions by two in reed_sol_r6_encode.
KernelFunction doubling_function(int w);

}  // namespace ecbench::jerasure
