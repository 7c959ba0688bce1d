// Detects that the loaded libisal is too old: a newer release of ISA-L has kernels for instructions of this CPU, but the loaded
// libisal lacks these kernels.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/warnings/remark.h"

namespace ecbench {

/// A loaded library and the functions that it exports.
struct LibrarySymbols {
  std::string name;  ///< the file name with the version, such as libisal.so.2.0.30
  std::vector<std::string> functions;
};

/// The loaded libisal. `functions` contains only functions that missing_kernels() searches for. Absent if libisal is not loaded.
std::optional<LibrarySymbols> loaded_isal();

/// The note for a row if a newer release of ISA-L has a faster kernel for this CPU than `isal` has. `kernel` is
/// BenchmarkInfo::kernel(). There is no note if `kernel` is not an ec_encode_data function of ISA-L. There is also no note if
/// `dispatch` is a level other than native, because then the level decides which kernels run.
std::optional<Remark> missing_kernels(const LibrarySymbols& isal, const std::string& kernel, const std::string& dispatch,
                                      std::span<const std::string> cpu_flags);

}  // namespace ecbench
