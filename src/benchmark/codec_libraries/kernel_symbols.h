// The functions, addresses and files of an erasure code's kernels, for profilers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

struct KernelSymbol {
  std::string object;          ///< path of the file that contains the function, as in KernelSymbols::objects
  std::uintptr_t address = 0;  ///< address of the function, as in the symbol table of the file
  std::string name;
  std::string how;  ///< how the name was found
};

struct KernelSymbols {
  std::string kernel;  ///< BenchmarkInfo::kernel()
  std::vector<LoadedObject> objects;
  /// Sorted by address in memory, without duplicates. Several names of one function are joined by " = ".
  std::vector<KernelSymbol> functions;
};

/// Omits functions that are not in a loaded object.
KernelSymbols kernel_symbols(const ErasureCode& code);

}  // namespace ecbench
