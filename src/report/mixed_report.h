// The result of --mixed as JSON (see mixed_row.schema.json) or as a table.

#pragma once

#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/mixed/mixed.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

struct MixedRow {
  Measurement code;  ///< only the members that describe the point and the code are set
  MixedSettings settings;
  MixedResult result;
  std::string host;  ///< "" if it is unknown
  std::string date;
  std::vector<SharedObject> codec_libraries;
  Remarks warnings;
  Remarks notes;
  std::string command;
};

/// The warnings about unfinished operations and about a stalled thread.
Remarks mixed_warnings(const MixedResult& result);

/// The note that the foreground and the repairs share a CPU. The result is empty if they share no CPU, or if there are no repairs.
Remarks mixed_notes(const MixedSettings& settings);

/// The row as one line of JSON.
std::string mixed_json_text(const MixedRow& row);

/// The row as a table. It has a line of titles, a line for all foreground operations, and a line for each kind of foreground
/// operation that was run. The last two lines are for the repairs and for the CPU times.
std::string mixed_table(const MixedRow& row);

}  // namespace ecbench
