// Detects a libisal without kernels for this CPU that newer releases of ISA-L have.

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

/// Only functions that missing_kernels() searches for. Absent if libisal is not loaded.
std::optional<LibrarySymbols> loaded_isal();

/// The note if a newer ISA-L has a faster kernel for this CPU. None if `kernel` (BenchmarkInfo::kernel()) is no ec_encode_data
/// function of ISA-L, or `dispatch` is not native and decides.
std::optional<Remark> missing_kernels(const LibrarySymbols& isal, const std::string& kernel, const std::string& dispatch,
                                      std::span<const std::string> cpu_flags);

}  // namespace ecbench
