// Decides which samples count. A sample is clean if every thread had its CPU all the time, if no other hardware thread used its
// core, and, for a cold point, if no other program used the memory.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmark/sampling/sample.h"

namespace ecbench {

// The clean samples that a figure needs. With fewer than six placements, the range from the lowest to the highest does not contain
// the median with 95 % confidence.
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// `undisturbed` is the speed of a probe that nothing disturbs.
Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// Whether the clean samples are enough for a figure: all samples are clean, or at least 8 in 3 rounds at 6 placements (at all
/// placements if there are fewer).
bool enough_clean(std::span<const Sample> samples);

/// The samples from which figures are computed: the clean ones, or all if these are not enough.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

}  // namespace ecbench
