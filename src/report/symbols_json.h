// The output of --symbols, a JSON object.

#pragma once

#include <string>

#include "benchmark/codec_libraries/kernel_symbols.h"

namespace ecbench {

/// One line. Addresses are hexadecimal strings, because numbers in JSON may lose precision.
std::string symbols_text(const KernelSymbols& symbols);

}  // namespace ecbench
