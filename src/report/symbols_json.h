// The output of --symbols. It is a JSON object.

#pragma once

#include <string>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// One line. Addresses are hexadecimal strings: numbers in JSON may lose precision.
std::string symbols_text(const KernelSymbols& symbols);

}  // namespace ecbench
