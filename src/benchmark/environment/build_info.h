// Describes this build of ecbench.

#pragma once

#include <string>

namespace ecbench {

struct BuildInfo {
  std::string version;
  /// The git revision of the source directory when make last ran. The text ends with "-dirty" if tracked files differed from the
  /// revision. The text is "unknown" if the source directory is not the top of a git tree. If the environment variable
  /// ECBENCH_GIT_REVISION is set when make runs, its value is used instead.
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
