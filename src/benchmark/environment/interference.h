// The CPU time that a run lost: time that the hypervisor gave to other virtual machines (steal), and time for which the control
// group was throttled. Counters are read before and after the run, and the difference is reported.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ecbench {

struct InterferenceCounters {
  std::optional<std::uint64_t> steal_ticks;  ///< sum over all CPUs since boot
  std::optional<std::uint64_t> total_ticks;  ///< sum of stolen, busy and idle ticks
  std::optional<double> throttled_seconds;
};

struct Interference {
  /// Stolen time, in percent of the time of all CPUs. Absent if it is unknown, or if no tick has passed.
  std::optional<double> steal_percent;
  std::optional<double> throttled_seconds;
  /// One tick, in percent of all ticks of the run. steal_percent can be too high by this value, because one stolen tick may have
  /// begun before the run. If the run is short, this value is large.
  double tick_percent = 0;
};

InterferenceCounters read_interference_counters(const std::filesystem::path& root = "/");

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after);

/// Converts ticks of /proc/stat to seconds.
double seconds_of_ticks(std::uint64_t ticks);

}  // namespace ecbench
