// The CPU quota and the memory limit of this process's control group (version 1 or 2), and the time for which it was throttled,
// which measured times do not show.

#pragma once

#include <cstdint>
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
  /// The lowest of the group and its ancestors.
  std::optional<std::int64_t> memory_limit_bytes;
};

/// The lowest values of the group and its ancestors. The page cache of a group is available memory.
struct MemoryLimit {
  std::optional<std::int64_t> limit_bytes, available_bytes;
};

Cgroup read_cgroup(const std::filesystem::path& root);
MemoryLimit read_memory_limit(const std::filesystem::path& root);

}  // namespace ecbench
