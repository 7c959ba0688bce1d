#include "benchmark/environment/system_info.h"

#include <sys/personality.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cstdio>

#include "benchmark/environment/interference.h"
#include "benchmark/environment/system_files.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// The word in brackets: "madvise" for "always [madvise] never".
std::optional<std::string> chosen_word(const std::optional<std::string>& text) {
  const std::size_t begin = text ? text->find('[') : std::string::npos;
  const std::size_t end = begin == std::string::npos ? begin : text->find(']', begin);
  return end == std::string::npos ? std::nullopt : std::optional(text->substr(begin + 1, end - begin - 1));
}

std::optional<std::string> read_aslr(const fs::path& root) {
  const std::string personality = read_text(root / "proc/self/personality").value_or("0");
  if ((std::strtoul(personality.c_str(), nullptr, 16) & ADDR_NO_RANDOMIZE) != 0) return "off";
  const std::optional<std::int64_t> setting = read_integer(root / "proc/sys/kernel/randomize_va_space");
  if (!setting) return std::nullopt;
  return *setting == 0 ? "off" : *setting == 1 ? "partial" : "full";
}

std::optional<std::array<double, 3>> read_load_average(const fs::path& root) {
  std::array<double, 3> load{};
  const std::string text = read_text(root / "proc/loadavg").value_or("");
  if (std::sscanf(text.c_str(), "%lf %lf %lf", &load[0], &load[1], &load[2]) != 3) return std::nullopt;
  return load;
}

// Reads /proc/thread-self/status, because sched_getaffinity() with a cpu_set_t fails on machines with more than 1024 CPUs.
std::vector<int> read_allowed_cpus(const fs::path& root) {
  const std::string title = "Cpus_allowed_list:";
  for (const std::string& line : lines_of(read_text(root / "proc/thread-self/status").value_or(""))) {
    if (line.starts_with(title)) return parse_cpu_list(trimmed(line.substr(title.size())));
  }
  return {};
}

std::vector<NumaNode> read_numa_nodes(const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  std::vector<NumaNode> nodes;
  for (const int node : parse_cpu_list(read_text(folder / "online").value_or(""))) {
    nodes.push_back({node, read_text(folder / ("node" + std::to_string(node)) / "cpulist").value_or("")});
  }
  return nodes;
}

}  // namespace

SystemInfo read_system_info(const fs::path& root) {
  SystemInfo info;
  info.kernel_release = read_text(root / "proc/sys/kernel/osrelease");
#ifdef __GLIBC__
  info.libc = std::string("glibc ") + gnu_get_libc_version();
#endif
  info.clocksource = read_text(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  info.transparent_hugepages = chosen_word(read_text(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  info.aslr = read_aslr(root);
  info.load_average = read_load_average(root);
  if (const auto ticks = read_interference_counters(root).steal_ticks) info.steal_seconds = seconds_of_ticks(*ticks);
  info.allowed_cpus = read_allowed_cpus(root);
  info.numa_nodes = read_numa_nodes(root);
  return info;
}

}  // namespace ecbench
