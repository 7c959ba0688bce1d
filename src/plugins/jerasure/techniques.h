// Techniques that multiply whole chunks by field elements.

#pragma once

#include "erasure_code/plugin.h"

namespace ecbench::jerasure {

/// Reed-Solomon codes over GF(2^w), w = 8, 16 or 32 (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon
/// Coding", 2005; Anvin, "The mathematics of RAID-6").
Technique reed_sol_van();
Technique reed_sol_r6_op();

}  // namespace ecbench::jerasure
