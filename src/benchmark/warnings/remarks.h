// The warnings and notes of a figure.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/environment/environment.h"
#include "benchmark/measurement/measurement.h"

namespace ecbench {

struct Remark {
  std::string code;  ///< the identifier, in snake_case; the column warnings or notes (figure_columns.cc) lists it
  std::string text;  ///< one line: what was found, and what to do

  friend bool operator==(const Remark&, const Remark&) = default;
};

using Remarks = std::vector<Remark>;

/// Separated by semicolons.
std::string joined_texts(const Remarks& remarks);

/// One for each reason why figures from `environment` may be wrong; an unknown value is none.
Remarks unfit(const Environment& environment);

/// Throws Error with all reasons of unfit() in one line.
void require_fit(const Environment& environment);

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

/// Without the note library_lacks_kernels. A warning means that the figure may be wrong, a note does not.
struct FigureRemarks {
  Remarks warnings;
  Remarks notes;
};

/// `environment`: after the measurement. `reference_is_stored`: later runs can compare their probes with those of this run.
FigureRemarks figure_remarks(const Measurement& measurement, const Summary& summary, const Environment& environment,
                             bool reference_is_stored);

}  // namespace ecbench
