#include "benchmark/environment/system_info.h"

#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cstdio>
#include <cstdlib>

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

/// The value in a line "TITLE:\tVALUE" of a status file below /proc; "" if the file has no such line.
std::string status_value(const fs::path& file, const std::string& title) {
  for (const std::string& line : lines_of(read_text(file).value_or(""))) {
    if (line.starts_with(title)) return trimmed(line.substr(title.size()));
  }
  return "";
}

/// The parent process; 0 for the first process of the PID namespace.
int parent_of(const fs::path& root, int process) {
  return std::atoi(status_value(root / "proc" / std::to_string(process) / "status", "PPid:").c_str());
}

bool is_ancestor(const fs::path& root, int process) {
  int ancestor = getpid();
  while (ancestor > 0 && ancestor != process) ancestor = parent_of(root, ancestor);
  return ancestor > 0;
}

/// The directory that scripts/ecbench/measure/lock.py locks while a mode measures.
fs::path lock_folder() {
  if (const char* given = std::getenv("ECBENCH_LOCK_DIR"); given != nullptr && *given != '\0') return given;
  return access("/run/lock", R_OK) == 0 ? "/run/lock" : "/tmp";
}

std::optional<int> read_other_measurement(const fs::path& root) {
  struct stat folder {};
  if (stat(lock_folder().c_str(), &folder) != 0) return std::nullopt;
  for (const std::string& line : lines_of(read_text(root / "proc/locks").value_or(""))) {
    int process = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    unsigned long inode = 0;  // NOLINT(google-runtime-int): the type of %lu
    const int found =
        std::sscanf(line.c_str(), "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &process, &major_number, &minor_number, &inode);
    if (found == 4 && makedev(major_number, minor_number) == folder.st_dev && inode == folder.st_ino && process > 0 &&
        !is_ancestor(root, process)) {
      return process;
    }
  }
  return std::nullopt;
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

// Reads /proc/thread-self/status, because sched_getaffinity() with a cpu_set_t fails on machines with more than 1024 CPUs.
std::vector<int> read_allowed_cpus(const fs::path& root) {
  return parse_cpu_list(status_value(root / "proc/thread-self/status", "Cpus_allowed_list:"));
}

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
  info.other_measurement = read_other_measurement(root);
  if (const auto ticks = read_interference_counters(root).steal_ticks) info.steal_seconds = seconds_of_ticks(*ticks);
  info.allowed_cpus = read_allowed_cpus(root);
  info.numa_nodes = read_numa_nodes(root);
  return info;
}

}  // namespace ecbench
