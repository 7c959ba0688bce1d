// Which samples count. A sample is clean if every thread had its CPU all the time, no other hardware thread used its core, and, for
// a cold point, no other program used the memory.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmark/sampling/sample.h"

namespace ecbench {

// What a figure needs of clean samples. With fewer than six placements, the lowest and the highest do not enclose the median with
// 95 % confidence.
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// `undisturbed`: the speed of a probe that nothing disturbs.
Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// Whether the clean ones are enough for a figure: all of them, or at least 8 in 3 rounds over 6 placements (over all placements if
/// there are fewer).
bool enough_clean(std::span<const Sample> samples);

/// The samples that the figures come from: the clean ones, or all if these are too few.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

}  // namespace ecbench
