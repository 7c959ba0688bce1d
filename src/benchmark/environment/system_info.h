// What the kernel and the C library are, how they treat memory and processes, and how busy the machine is.

#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct NumaNode {
  int node = 0;
  std::string cpus;  ///< as "0-1"
};

struct SystemInfo {
  std::optional<std::string> kernel_release;
  std::optional<std::string> libc;  ///< name and version
  std::optional<std::string> clocksource;
  std::optional<std::string> transparent_hugepages;  ///< always, madvise or never
  /// Of addresses: off, partial (all but the heap) or full; off too where this process alone was started without.
  std::optional<std::string> aslr;
  std::optional<std::array<double, 3>> load_average;  ///< over 1, 5 and 15 minutes
  std::optional<double> steal_seconds;                ///< since boot, of all CPUs together
  std::vector<int> allowed_cpus;                      ///< that affinity and cpuset leave to the calling thread
  std::vector<NumaNode> numa_nodes;
};

SystemInfo read_system_info(const std::filesystem::path& root);

}  // namespace ecbench
