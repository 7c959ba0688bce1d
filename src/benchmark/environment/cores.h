// Which CPUs are of the fastest kind, and which are siblings on one core. scripts/ecbench/measure/cpus.py has the same rules.

#pragma once

#include <filesystem>
#include <vector>

namespace ecbench {

/// All `cpus` if the kernel does not say that they differ.
std::vector<int> fastest_kind(const std::filesystem::path& root, const std::vector<int>& cpus);

/// At most `count` of the CPUs, sorted: of the fastest kind first, and one of each core before its siblings; among equal ones those
/// with the highest numbers, because the kernel mostly uses CPUs with low numbers for its work.
std::vector<int> quiet_cpus(const std::filesystem::path& root, std::vector<int> cpus, std::size_t count);

}  // namespace ecbench
