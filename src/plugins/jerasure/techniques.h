// The techniques of this plugin, each as the registry wants it: name, parameters, and how to make a code of them.

#pragma once

#include "erasure_code/plugin.h"

namespace ecbench::jerasure {

/// Reed-Solomon codes over GF(2^w), w = 8, 16 or 32 (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon
/// Coding", 2005; Anvin, "The mathematics of RAID-6").
Technique reed_sol_van();
Technique reed_sol_r6_op();

/// Cauchy Reed-Solomon codes as bit-matrices (Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995; Plank and Xu,
/// "Optimizing Cauchy Reed-Solomon Codes for Fault-Tolerant Network Storage Applications", 2006).
Technique cauchy_orig();
Technique cauchy_good();

/// RAID-6 codes of few XORs (Plank, "The RAID-6 Liberation Codes", 2008; Blaum and Roth, "On Lowest Density MDS Codes", 1999;
/// Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008).
Technique liberation();
Technique blaum_roth();
Technique liber8tion();

}  // namespace ecbench::jerasure
