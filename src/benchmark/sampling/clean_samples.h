// Decides which samples are used. A sample is clean if every thread had its CPU all the time, and no other hardware thread used the
// same core. A sample of a cold point is clean only if, in addition, no other program used the memory.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmark/sampling/sample.h"

namespace ecbench {

// The limits of enough_clean(). A confidence interval is computed from one value per placement. At least six values are needed,
// because with five values, even the interval from the lowest to the highest value has less than 95 % confidence.
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// Judges `sample` by its CPU time and its probes. `undisturbed` is the speed of an undisturbed probe.
Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// True if all samples are clean, or if the clean samples are enough to compute the results without the other samples. They are
/// enough if there are at least 8 clean samples, and if at least 6 placements have at least 3 clean samples each. If there are
/// fewer than 6 placements, each placement must have at least 3 clean samples.
bool enough_clean(std::span<const Sample> samples);

/// Returns the samples from which the results are computed: the clean samples if enough_clean() is true, otherwise all samples.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

}  // namespace ecbench
