#include "benchmark/environment/interference.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "benchmark/environment/cgroup.h"
#include "benchmark/environment/system_files.h"

namespace ecbench {
namespace {

// The first line of /proc/stat has the fields "cpu", user, nice, system, idle, iowait, irq, softirq, steal. The guest fields after
// steal are not read, because user and nice include them.
constexpr std::size_t steal_field = 8;

template <typename Number>
std::optional<Number> growth(const std::optional<Number>& before, const std::optional<Number>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

}  // namespace

InterferenceCounters read_interference_counters(const std::filesystem::path& root) {
  InterferenceCounters counters;
  const std::vector<std::string> lines = lines_of(read_text(root / "proc/stat").value_or(""));
  const std::vector<std::string> fields = lines.empty() ? std::vector<std::string>() : words_of(lines.front());
  if (fields.size() > steal_field && fields[0] == "cpu") {
    counters.total_ticks = 0;
    for (std::size_t i = 1; i <= steal_field; i++) *counters.total_ticks += std::strtoull(fields[i].c_str(), nullptr, 10);
    counters.steal_ticks = std::strtoull(fields[steal_field].c_str(), nullptr, 10);
  }
  counters.throttled_seconds = read_cgroup(root).throttled_seconds;
  return counters;
}

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after) {
  Interference interference;
  const auto steal_ticks = growth(before.steal_ticks, after.steal_ticks);
  const auto total_ticks = growth(before.total_ticks, after.total_ticks);
  if (steal_ticks && total_ticks && *total_ticks > 0) {
    interference.steal_percent = 100 * static_cast<double>(*steal_ticks) / static_cast<double>(*total_ticks);
    interference.tick_percent = 100 / static_cast<double>(*total_ticks);
  }
  interference.throttled_seconds = growth(before.throttled_seconds, after.throttled_seconds);
  return interference;
}

double seconds_of_ticks(std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace ecbench
