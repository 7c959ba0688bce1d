// The only place that decides on the warnings and notes of a figure. A warning says that the figure may be wrong. A note says what
// may make a difference although the samples do not show it.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

struct FigureRemarks {
  Remarks warnings;
  Remarks notes;
};

/// `environment` was read after the measurement, with what happened during it. `reference_is_stored`: whether later runs can
/// compare their probes with those of this run.
FigureRemarks figure_remarks(const Measurement& measurement, const Summary& summary, const Environment& environment,
                             bool reference_is_stored);

}  // namespace ecbench
