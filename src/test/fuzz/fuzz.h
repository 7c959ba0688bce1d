// For all libFuzzer targets. libFuzzer reports an abort as a crash.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "erasure_code/error.h"
#include "test/directories.h"

namespace ecbench::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline void require_message(const Error& error) { require(error.what()[0] != '\0', "an error has a message"); }

inline std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace ecbench::fuzz
