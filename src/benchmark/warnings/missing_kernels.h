// Whether the codec library that ran is older than the CPU: without kernels for instructions that a newer release uses.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/warnings/remark.h"

namespace ecbench {

/// A loaded library, and which functions it exports.
struct LibrarySymbols {
  std::string name;  ///< the file's name with its version, libisal.so.2.0.30
  std::vector<std::string> functions;
};

/// The loaded libisal with those of its functions that missing_kernels() asks for; absent if none is loaded.
std::optional<LibrarySymbols> loaded_isal();

/// The note for a row, if a newer ISA-L has faster kernels for this CPU than `isal`. `kernel` is ErasureCode::kernel(), which says
/// whether the code runs a kernel of that kind at all. A level of --dispatch other than native names its kernels: then there is no
/// note.
std::optional<Remark> missing_kernels(const LibrarySymbols& isal, const std::string& kernel, const std::string& dispatch,
                                      std::span<const std::string> cpu_flags);

}  // namespace ecbench
