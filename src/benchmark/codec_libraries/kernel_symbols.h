// The functions and files that contain a code's kernels, for tools that work with addresses, such as profilers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

struct KernelSymbol {
  std::string object;          ///< the file's path, as in KernelSymbols::objects
  std::uintptr_t address = 0;  ///< the address in the file, as in its symbol table
  std::string name;
  std::string how;  ///< how the name was found
};

struct KernelSymbols {
  std::string kernel;  ///< BenchmarkInfo::kernel()
  std::vector<LoadedObject> objects;
  /// Sorted by address in memory, without duplicates. Several names of one function are joined by " = ".
  std::vector<KernelSymbol> functions;
};

/// The kernels of a code that is loaded in this process. A function that is in no loaded object is omitted.
KernelSymbols kernel_symbols(const ErasureCode& code);

}  // namespace ecbench
