// In place of the compiler's header where the NEON kernels of plugin simd are built for the tests on other machines: SIMDe's
// portable emulation of the instructions.

#pragma once

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
