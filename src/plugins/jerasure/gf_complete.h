// GF-Complete and libJerasure: headers, fields and kernels.

#pragma once

// This header has no extern "C", so it must be included before the other headers, which include it.
extern "C" {
#include <gf_complete.h>
}

#include <cauchy.h>
#include <galois.h>
#include <jerasure.h>
#include <liberation.h>
#include <reed_sol.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"

namespace ecbench::jerasure {

// Limits the kernels of GF-Complete, and finds their names. It chooses them when a process sets up its first field, by the CPU and
// the variables GF_COMPLETE_DISABLE_SSE2, _SSE3, _SSSE3, _SSE4, _SSE4_PCLMUL and _NEON (gf_cpu.c), so all codes of a process have
// the same dispatch level. On x86, the fields that ecbench uses need at most SSSE3 to multiply regions.

/// scalar: kernels in C, which the compiler may build with SSE2. ssse3: also those for SSE2, SSE3 and SSSE3.
std::vector<std::string> dispatch_levels();

/// "native" sets no limit. Throws Error if the limit has no effect (a field already uses other kernels, a variable disables an
/// extension of ssse3, the library has only one level), or for native after a limit.
void limit_kernels(const std::string& level);

/// False also if unknown.
bool uses_ssse3();

/// Such as "w=8 split table 4,8 SSSE3", for w 8, 16 or 32: compares the kernel of the field GF(2^w), which must be set up, with
/// those of fields that have only one possible kernel. The caller must not hold library_mutex().
std::string multiplication_kernel(int w);

/// Of reed_sol_r6_encode, such as "w=8 times two SSE2".
std::string doubling_kernel(int w);

/// Such as "XOR SSE2".
std::string xor_kernel();

/// Most have no symbol. The field must be set up, and the caller must not hold library_mutex().
std::vector<KernelFunction> field_functions(int w);

/// Of reed_sol_r6_encode.
KernelFunction doubling_function(int w);

struct FreeArray {
  void operator()(int* array) const { std::free(array); }
};
/// In row-major order.
using LibraryMatrix = std::unique_ptr<int[], FreeArray>;

struct FreeSchedule {
  void operator()(int** schedule) const { jerasure_free_schedule(schedule); }
};
/// Copy and XOR operations, each an array of numbers; one that begins with -1 is the end.
using Schedule = std::unique_ptr<int*[], FreeSchedule>;

// libJerasure sets up fields GF(2^w) and tables at the first use, without a lock. These functions do so when a code is made, under
// a lock, so that encode and decode set up and allocate nothing.

/// To XOR two regions, libJerasure multiplies one region by 1 in GF(2^32), and adds the product to the other region.
inline constexpr int xor_field = 32;

/// For making a code: libJerasure's matrix functions fill tables without a lock.
std::mutex& library_mutex();

/// w is 2 to 32. Needs library_mutex(). Throws Error if the library fails.
void set_up_field(int w);

/// For reed_sol_r6_encode. Needs library_mutex().
void set_up_raid6_field(int w);

/// Then two threads must not multiply in GF(2^w), which must be set up, at the same time: for w = 32 without SSSE3, the table of
/// the last multiplier is in the field (gf_w32.c, the lazy split table).
bool multiplication_has_state(int w);

}  // namespace ecbench::jerasure
