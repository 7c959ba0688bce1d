// A sample is clean if every thread had its CPU all the time, no other hardware thread used the core and, if it is cold, no other
// program used the memory.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmark/sampling/sample.h"

namespace ecbench {

// Limits of enough_clean(). A 95 % confidence interval needs at least six values (placements).
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// A clean probe has at least this share of the undisturbed throughput. On Zen 4, undisturbed probes are within 1 % of the best
/// one; a busy SMT sibling makes them 20 to 50 % slower.
inline constexpr double least_throughput = 0.9;

Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// True if all samples are clean, or at least 8, with 3 in each of at least 6 placements (of all, if there are fewer).
bool enough_clean(std::span<const Sample> samples);

/// The clean samples if enough_clean(), otherwise all.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

}  // namespace ecbench
