// Functions that all libFuzzer targets use. If a check fails, the target prints a message and aborts. libFuzzer reports this as a
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

/// If `holds` is false, prints `what` to stderr and aborts.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Aborts if the error has no message.
inline void require_message(const Error& error) { require(error.what()[0] != '\0', "an error has a message"); }

inline std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace ecbench::fuzz
