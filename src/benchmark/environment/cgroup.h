// How much CPU time the control group of this process may use, and for how long it was stopped for having used it: a container's
// quota makes a benchmark wait without a trace in its own clock. Both versions of control groups.

#pragma once

#include <filesystem>
#include <optional>

namespace ecbench {

struct Cgroup {
  std::optional<int> version;               ///< of the hierarchy that has the cpu controller: 1 or 2; absent if none can be seen
  std::optional<double> quota_cpus;         ///< CPUs' worth of time, the least of the group's and its ancestors'; absent: no quota
  std::optional<double> throttled_seconds;  ///< since the groups were made, the group and its ancestors together
};

Cgroup read_cgroup(const std::filesystem::path& root);

}  // namespace ecbench
