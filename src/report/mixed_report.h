// The result of --mixed as JSON (see mixed_row.schema.json) or as a table.

#pragma once

#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/mixed/mixed.h"
#include "benchmark/warnings/remarks.h"

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

/// Unfinished operations, a stalled thread.
Remarks mixed_warnings(const MixedResult& result);

/// If the foreground and the repairs share a CPU.
Remarks mixed_notes(const MixedSettings& settings);

std::string mixed_json_text(const MixedRow& row);

/// Titles, all foreground operations, each kind that was run, the repairs, the CPU times.
std::string mixed_table(const MixedRow& row);

}  // namespace ecbench
