// Describes this build of ecbench.

#pragma once

#include <string>

namespace ecbench {

struct BuildInfo {
  std::string version;
  /// The revision at the last make. It ends with "-dirty" if tracked files differed from it. It is "unknown" if the source
  /// directory is not the top of a git tree. ECBENCH_GIT_REVISION replaces the revision if it is set at the make.
  std::string git_revision;
  std::string compiler;  ///< id and version
  std::string compiler_flags;
  std::string build_type;
  bool optimised = false;        ///< according to the compiler's macro, not to the name of the build type
  bool sanitized = false;        ///< built with a sanitizer, which makes code several times slower
  bool client_requests = false;  ///< built with valgrind/callgrind.h, so that callgrind can be restricted to the timed loops
};

BuildInfo build_info();

}  // namespace ecbench
