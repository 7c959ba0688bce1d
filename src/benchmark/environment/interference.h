// CPU time that a run lost: time that the hypervisor gave to other virtual machines (steal), and throttling by the control group.
// Counters are read before and after the run, and the difference is reported.

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
  std::optional<double> steal_percent;  ///< percentage of the time of all CPUs; absent if it is unknown or no tick has passed
  std::optional<double> throttled_seconds;
  double tick_percent = 0;  ///< one tick, in percent of the ticks of the run. One stolen tick may have begun before the run, and in
                            ///< a short run, one tick is a large percentage
};

InterferenceCounters read_interference_counters(const std::filesystem::path& root = "/");

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after);

/// Converts ticks of /proc/stat to seconds.
double seconds_of_ticks(std::uint64_t ticks);

}  // namespace ecbench
