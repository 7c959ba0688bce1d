// The CPU time that a run lost: stolen by the hypervisor for other virtual machines, or throttled. The difference of counters
// before and after.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "benchmark/environment/machine.h"

namespace ecbench {

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
