// The machine, and what limits or disturbs this process on it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ecbench {

/// The directory with proc and sys. fake_ecbench, a program of the tests, has an invented one.
std::filesystem::path machine_root();

/// True if times are invented.
bool is_fake();

// The CPU quota and the memory limit of this process's control group (version 1 or 2), and the time for which it was throttled,
// which measured times do not show.

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

// The CPU time that a run lost: stolen by the hypervisor for other virtual machines, or throttled. The difference of counters
// before and after.

struct InterferenceCounters {
  std::optional<std::uint64_t> steal_ticks;  ///< sum over all CPUs since boot
  std::optional<std::uint64_t> total_ticks;  ///< sum of stolen, busy and idle ticks
  std::optional<double> throttled_seconds;
};

struct Interference {
  /// Share of the time of all CPUs; absent if unknown, or no tick has passed.
  std::optional<double> steal_percent;
  std::optional<double> throttled_seconds;
  /// One tick of all ticks: steal_percent can be too high by this, because a stolen tick may have begun before the run.
  double tick_percent = 0;
};

InterferenceCounters read_interference_counters(const std::filesystem::path& root = machine_root());

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after);

double seconds_of_ticks(std::uint64_t ticks);

}  // namespace ecbench
