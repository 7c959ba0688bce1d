// The CPU quota of this process's control group (version 1 or 2), and the time for which it was throttled, which measured times do
// not show.

#pragma once

#include <filesystem>
#include <optional>

namespace ecbench {

struct Cgroup {
  /// 1 or 2, from the hierarchy with the cpu controller; absent if none is visible.
  std::optional<int> version;
  /// The lowest of the group and its ancestors, in CPUs.
  std::optional<double> quota_cpus;
  /// Sum over the group and its ancestors, since they were created.
  std::optional<double> throttled_seconds;
};

Cgroup read_cgroup(const std::filesystem::path& root);

}  // namespace ecbench
