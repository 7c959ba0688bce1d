// Which functions in which files a code's kernels are, for tools that see addresses: profilers, and what names their samples.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

struct KernelSymbol {
  std::string object;          ///< path of the file, as in KernelSymbols::objects
  std::uintptr_t address = 0;  ///< in the file's own addresses, as its symbol table counts
  std::string name;
  std::string how;  ///< it was found
};

struct KernelSymbols {
  std::string kernel;  ///< ErasureCode::kernel()
  std::vector<LoadedObject> objects;
  std::vector<KernelSymbol> functions;  ///< in the order of their addresses, each once; two names of one are joined by " = "
};

/// Of a code in this process. A function in no loaded object is left out.
KernelSymbols kernel_symbols(const ErasureCode& code);

}  // namespace ecbench
