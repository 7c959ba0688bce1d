// Replaces the compiler's header if some x86 kernels of plugin simd are built a second time, for tests. SIMDe emulates the
// instructions, so these kernels can be tested on every x86-64 CPU.

#pragma once

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

// SIMDe 0.7.4 does not have this function.
#ifndef _mm512_stream_si512
#define _mm512_stream_si512 emulated_stream_si512
inline void emulated_stream_si512(void* to, __m512i value) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof value != 0) std::abort();  // on a CPU, a misaligned store raises an exception
  std::memcpy(to, &value, sizeof value);
}
#endif
