// The conditions of a measurement. They are needed to judge a figure or to repeat the measurement. They contain nothing that
// identifies the user or the host.

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

/// A value that could not be determined is absent, never guessed. Every text can be published: see private_names.h.
struct Environment {
  std::vector<std::string> argv;
  std::string date_utc;  ///< 2025-01-31T23:59:59Z
  BuildInfo build;
  CpuInfo cpu;
  SystemInfo system;
  Cgroup cgroup;
  std::vector<SharedObject> shared_objects;    ///< plugins and codec libraries that are loaded
  int threads = 1;                             ///< threads that run the code at the same time
  std::vector<int> pinned_cpus;                ///< thread i is pinned to pinned_cpus[i % size()]; empty: not pinned by ecbench
  std::map<std::string, std::string> kernels;  ///< for each plugin that reports a kernel: the kernel that its first technique uses
                                               ///< with default parameters; set by --environment
  std::optional<Interference> during_run;      ///< absent before the run
};

/// Must be called after the plugins are loaded. The caller sets threads, pinned_cpus, kernels and during_run. `root` contains the
/// directories proc and sys.
Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root = "/");

}  // namespace ecbench
