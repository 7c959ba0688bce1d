// The warnings and notes of a figure.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/environment/environment.h"
#include "benchmark/measurement/measurement.h"

namespace ecbench {

// A warning or a note about a figure: an identifier for programs, and a text for users.

struct Remark {
  std::string code;  ///< the identifier, in snake_case; the column warnings or notes (figure_columns.cc) lists it
  std::string text;  ///< one line: what was found, and what to do

  friend bool operator==(const Remark&, const Remark&) = default;
};

using Remarks = std::vector<Remark>;

/// Separated by semicolons.
std::string joined_texts(const Remarks& remarks);

// Checks whether the machine, in its present state, gives figures that can be trusted.

/// One for each reason why figures from `environment` may be wrong; an unknown value is none.
Remarks unfit(const Environment& environment);

/// Throws Error with all reasons of unfit() in one line.
void require_fit(const Environment& environment);

// Detects a libisal without kernels for this CPU that newer releases of ISA-L have.

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

// Decides the warnings and notes of a figure, except the note library_lacks_kernels (above). A warning means that
// the figure may be wrong. A note is other information. It does not mean that the figure may be wrong.

struct FigureRemarks {
  Remarks warnings;
  Remarks notes;
};

/// `environment` must be read after the measurement. `reference_is_stored` is true if later runs can compare their probes with the
/// probes of this run.
FigureRemarks figure_remarks(const Measurement& measurement, const Summary& summary, const Environment& environment,
                             bool reference_is_stored);

}  // namespace ecbench
