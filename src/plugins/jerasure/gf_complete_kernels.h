// Which of its kernels GF-Complete runs, and how to limit them. It looks at the CPU, and at the variables
// GF_COMPLETE_DISABLE_SSE2, _SSE3, _SSSE3, _SSE4 and _SSE4_PCLMUL, once in a process, when the first field is set up (gf_cpu.c), so
// one process has one level.
// SSSE3 is the most that multiplies regions in the fields used here; its SSE4 and PCLMUL serve other fields.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"

namespace ecbench::jerasure {

/// scalar: no kernel written for a vector unit, though a compiler may have used SSE2 for what was written in C. ssse3: those
/// for SSE2, SSE3 and SSSE3.
std::vector<std::string> dispatch_levels();

/// Limits GF-Complete to one of dispatch_levels(); "native" leaves the choice to it and to the variables. Throws Error if it did
/// not take effect: because fields were set up before, or the environment forbids SSSE3, or the library was built for one level.
void limit_kernels(const std::string& level);

/// False where it is not known.
bool uses_ssse3();

/// "w=8 split table 4,8 SSSE3": what multiplies regions in GF(2^w), w = 8, 16 or 32, found by comparing with fields that were
/// set up for one kernel. The field is set up and library_mutex() is free.
std::string multiplication_kernel(int w);

/// "w=8 times two SSE2": the same for reed_sol_r6_encode, which multiplies only by two.
std::string doubling_kernel(int w);

/// "XOR SSE2": what adds regions.
std::string xor_kernel();

/// The functions that the field GF(2^w) calls by pointer. GF-Complete's symbols do not name most of them. The field is set up and
/// library_mutex() is free.
std::vector<KernelFunction> field_functions(int w);

/// What multiplies regions by two in reed_sol_r6_encode.
KernelFunction doubling_function(int w);

}  // namespace ecbench::jerasure
