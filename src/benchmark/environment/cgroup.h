// The CPU quota of this process's control group, and how long the group was throttled because of it. Throttling makes a benchmark
// slower, but the measured times do not show the cause. Supports versions 1 and 2 of control groups.

#pragma once

#include <filesystem>
#include <optional>

namespace ecbench {

struct Cgroup {
  std::optional<int> version;        ///< version of the hierarchy that has the cpu controller: 1 or 2; absent if none is visible
  std::optional<double> quota_cpus;  ///< the quota in CPUs: the lowest quota of the group and its ancestors; absent: no quota
  std::optional<double> throttled_seconds;  ///< since the groups were made; sum of the group and its ancestors
};

Cgroup read_cgroup(const std::filesystem::path& root);

}  // namespace ecbench
