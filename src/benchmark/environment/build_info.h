// Which build of ecbench this is.

#pragma once

#include <string>

namespace ecbench {

struct BuildInfo {
  std::string version;
  std::string git_revision;  ///< as of the last make, with "-dirty" if tracked files differed from it; "unknown" outside a git tree
  std::string compiler;      ///< id and version
  std::string compiler_flags;
  std::string build_type;
  bool optimised = false;        ///< what the compiler itself said, whatever the build type is called
  bool sanitized = false;        ///< built with a sanitizer, which makes code several times slower
  bool client_requests = false;  ///< built with valgrind/callgrind.h: can tell callgrind where the timed loops are
};

BuildInfo build_info();

}  // namespace ecbench
