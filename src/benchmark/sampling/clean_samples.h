// Decides which samples are used. A sample is clean if every thread had its CPU all the time, if no other hardware thread used its
// core, and, for a cold point, if no other program used the memory.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmark/sampling/sample.h"

namespace ecbench {

// The limits of enough_clean(). With fewer than six placements, even the range from the lowest to the highest value does not
// contain the median with 95 % confidence.
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// Judges `sample` by its CPU time and its probes. `undisturbed` is the speed of an undisturbed probe.
Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// True if the clean samples are enough for a figure. They are enough if all samples are clean, or if there are at least 8 clean
/// samples, and at least 3 of them at each of 6 placements (at each placement if there are fewer than 6).
bool enough_clean(std::span<const Sample> samples);

/// The samples from which figures are computed: the clean samples if there are enough of them, otherwise all samples.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

}  // namespace ecbench
