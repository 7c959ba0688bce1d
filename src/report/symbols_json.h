// The symbols of --symbols as one JSON object.

#pragma once

#include <string>

#include "benchmark/codec_libraries/kernel_symbols.h"

namespace ecbench {

/// On one line. Addresses are text in hex, as JSON's numbers are not sure to hold them.
std::string symbols_text(const KernelSymbols& symbols);

}  // namespace ecbench
