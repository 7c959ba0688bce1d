// Small files under /proc and /sys. The functions take a path or a text, for tests. A missing or unreadable file gives an absent
// value.

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

/// Without trailing white space.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// Absent if there is none.
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& text);

std::string trimmed(const std::string& text);

/// "0-2,5" is the CPUs 0, 1, 2 and 5.
std::vector<int> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

// The Linux kernel, the C library, settings for memory and processes, and the load of the machine.

struct NumaNode {
  int node = 0;
  std::string cpus;  ///< as "0-1"
};

struct SystemInfo {
  std::optional<std::string> kernel_release;
  std::optional<std::string> libc;  ///< name and version
  std::optional<std::string> clocksource;
  std::optional<std::string> transparent_hugepages;  ///< always, madvise or never
  /// off, partial (all except the heap) or full; also off if only this process has none (setarch -R).
  std::optional<std::string> aslr;
  std::optional<std::array<double, 3>> load_average;  ///< over 1, 5 and 15 minutes
  std::optional<int> other_measurement;               ///< process of another mode that holds the lock of measurements
  std::optional<double> steal_seconds;                ///< sum over all CPUs since boot
  std::vector<int> allowed_cpus;                      ///< the CPUs that affinity and cpuset allow for the calling thread
  std::vector<NumaNode> numa_nodes;
};

/// The CPUs that affinity and cpuset allow for the calling thread; none if they are unknown.
std::vector<int> read_allowed_cpus(const std::filesystem::path& root);

SystemInfo read_system_info(const std::filesystem::path& root);

}  // namespace ecbench
