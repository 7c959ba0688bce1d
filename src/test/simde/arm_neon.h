// Replaces the compiler's header if the NEON kernels of plugin simd are built for tests on another CPU architecture. SIMDe emulates
// the instructions portably.

#pragma once

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
