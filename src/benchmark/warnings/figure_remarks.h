// Decides the warnings and notes of a figure, except the note library_lacks_kernels (see missing_kernels.h). A warning means that
// the figure may be wrong. A note is other information. It does not mean that the figure may be wrong.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

struct FigureRemarks {
  Remarks warnings;
  Remarks notes;
};

/// `environment` must be read after the measurement. `reference_is_stored` is true if later runs can compare their probes with the
/// probes of this run.
FigureRemarks figure_remarks(const Measurement& measurement, const Summary& summary, const Environment& environment,
                             bool reference_is_stored);

}  // namespace ecbench
