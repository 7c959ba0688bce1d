// Describes this build of ecbench.

#pragma once

#include <string>

namespace ecbench {

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

}  // namespace ecbench
