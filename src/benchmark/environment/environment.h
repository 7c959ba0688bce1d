// The circumstances of a measurement, as far as they can be known: enough to judge a figure or to repeat it, and nothing that
// says whose machine it was.

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

/// This moment, as 2025-01-31T23:59:59Z.
std::string now_utc();

/// Whatever could not be found out is absent, never guessed. Every text is publishable: see private_names.h.
struct Environment {
  std::vector<std::string> argv;
  std::string date_utc;  ///< 2025-01-31T23:59:59Z
  BuildInfo build;
  CpuInfo cpu;
  SystemInfo system;
  Cgroup cgroup;
  std::vector<SharedObject> shared_objects;    ///< plugins and codec libraries that are loaded by now
  int threads = 1;                             ///< that code at once
  std::vector<int> pinned_cpus;                ///< thread i is pinned to the i-th of them, going round; empty: not pinned by us
  std::map<std::string, std::string> kernels;  ///< by plugin: what its default code runs on this CPU, where it can tell
  std::optional<Interference> during_run;      ///< once there has been a run
};

/// Call it after the plugins are loaded; threads, pinned_cpus and during_run are the caller's to fill in. `root` is where /proc and
/// /sys are.
Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root = "/");

}  // namespace ecbench
