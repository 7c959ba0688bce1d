// The output of --symbols. It is a JSON object.

#pragma once

#include <string>

#include "benchmark/codec_libraries/kernel_symbols.h"

namespace ecbench {

/// The output as one line. Addresses are hexadecimal strings, because numbers in JSON may lose precision.
std::string symbols_text(const KernelSymbols& symbols);

}  // namespace ecbench
