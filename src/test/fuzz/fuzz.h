// The shared part of the libFuzzer targets. If a check fails, a target prints a message and aborts. libFuzzer reports this as a
// crash.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "erasure_code/error.h"
#include "test/directories.h"

namespace ecbench::fuzz {

/// Aborts, with `what` on stderr, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Aborts if the error has no message.
inline void require_message(const Error& error) {
  require(error.what()[0] != '\0', "an error has a message");
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace ecbench::fuzz
