// The Linux kernel, the C library, settings for memory and processes, and the load of the machine.

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
