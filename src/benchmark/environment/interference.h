// What took the CPU away from a run without showing in it: time stolen by the hypervisor, and throttling by the control group.
// Counters are read before and after; what counts is how they grew.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ecbench {

struct InterferenceCounters {
  std::optional<std::uint64_t> steal_ticks;  ///< of all CPUs together since boot
  std::optional<std::uint64_t> total_ticks;  ///< stolen, busy and idle
  std::optional<double> throttled_seconds;
};

struct Interference {
  std::optional<double> steal_percent;  ///< of the time of all CPUs; absent if nothing was counted between
  std::optional<double> throttled_seconds;
  double tick_percent = 0;  ///< what one tick of the counter is in steal_percent: in a short run much, and it may have begun before
};

InterferenceCounters read_interference_counters(const std::filesystem::path& root = "/");

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after);

/// Ticks of /proc/stat in seconds.
double seconds_of_ticks(std::uint64_t ticks);

}  // namespace ecbench
