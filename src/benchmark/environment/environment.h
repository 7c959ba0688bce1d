// The conditions of a measurement: hardware, software and settings. Users need them to judge the results, or to repeat the
// measurement. They contain nothing that identifies the user or the host.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/environment/build_info.h"
#include "benchmark/environment/cgroup.h"
#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/interference.h"
#include "benchmark/environment/system_info.h"

namespace ecbench {

/// The present time in the format 2025-01-31T23:59:59Z.
std::string now_utc();

/// If a value cannot be determined, it is absent. The texts can be published, because they do not contain the names of the user and
/// of the host (see private_names.h).
struct Environment {
  std::vector<std::string> argv;
  std::string date_utc;  ///< 2025-01-31T23:59:59Z
  BuildInfo build;
  CpuInfo cpu;
  SystemInfo system;
  Cgroup cgroup;
  std::vector<SharedObject> shared_objects;  ///< plugins and codec libraries that are loaded
  int threads = 1;                           ///< number of threads that run the erasure code at the same time
  std::vector<int> pinned_cpus;              ///< thread i runs on pinned_cpus[i % size()]; empty if ecbench does not pin threads
  /// For each plugin that reports a kernel: the kernel that the plugin's first technique uses with default parameters. Empty
  /// without the option --environment.
  std::map<std::string, std::string> kernels;
  std::optional<Interference> during_run;  ///< absent before the run
};

/// Call this function after the plugins have been loaded. It does not set threads, pinned_cpus, kernels and during_run; the caller
/// sets these members. `root` contains the directories proc and sys.
Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root = "/");

}  // namespace ecbench
