// Reads the CPU quota of this process's control group, and the time for which the group was throttled because of this quota.
// Throttling makes a benchmark slower, but the measured times do not show the cause. Both cgroup versions, 1 and 2, are supported.

#pragma once

#include <filesystem>
#include <optional>

namespace ecbench {

struct Cgroup {
  /// The cgroup version of the hierarchy that has the cpu controller: 1 or 2. Absent if no such hierarchy is visible.
  std::optional<int> version;
  /// The lowest quota of the group and its ancestors, in CPUs. Absent if none of them has a quota.
  std::optional<double> quota_cpus;
  /// The sum of the times for which the group and each of its ancestors have been throttled since they were created.
  std::optional<double> throttled_seconds;
};

Cgroup read_cgroup(const std::filesystem::path& root);

}  // namespace ecbench
