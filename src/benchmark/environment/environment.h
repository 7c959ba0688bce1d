// The build, the machine and the settings of a measurement.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/environment/cgroup.h"
#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/system_info.h"

namespace ecbench {

// Describes this build of ecbench.

struct BuildInfo {
  std::string version;
  /// The git revision when make last ran, or $ECBENCH_GIT_REVISION; "-dirty" at the end if tracked files differed, "unknown"
  /// outside a git tree.
  std::string git_revision;
  std::string compiler;  ///< id and version
  std::string compiler_flags;
  std::string build_type;
  bool optimised = false;        ///< true if the compiler defines __OPTIMIZE__; the build type does not matter
  bool sanitized = false;        ///< built with a sanitizer, which makes code several times slower
  bool client_requests = false;  ///< built with valgrind/callgrind.h, so that callgrind can be restricted to the timed loops
};

BuildInfo build_info();

// Hardware, software and settings of a measurement, without anything that identifies the user or the host.

/// 2025-01-31T23:59:59Z
std::string now_utc();

/// Unknown values are absent.
struct Environment {
  bool fake = false;  ///< times are invented: see cgroup.h
  std::vector<std::string> argv;
  std::string date_utc;  ///< 2025-01-31T23:59:59Z
  BuildInfo build;
  CpuInfo cpu;
  SystemInfo system;
  Cgroup cgroup;
  std::vector<SharedObject> shared_objects;  ///< plugins and codec libraries that are loaded
  int threads = 1;                           ///< number of threads that run the erasure code at the same time
  std::vector<int> pinned_cpus;              ///< thread i runs on pinned_cpus[i % size()]; empty if ecbench does not pin threads
  /// Plugin → the kernel of its first technique with default parameters; empty without --environment.
  std::map<std::string, std::string> kernels;
  std::optional<Interference> during_run;  ///< absent before the run
};

/// Call it after the plugins are loaded. The caller sets threads, pinned_cpus, kernels and during_run. `root` has the directories
/// proc and sys.
Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root = machine_root());

}  // namespace ecbench
