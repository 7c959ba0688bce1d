// Replaces the compiler's header when the NEON kernels of plugin simd are built on other machines for the tests. SIMDe emulates the
// instructions portably.

#pragma once

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
