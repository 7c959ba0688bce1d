// The result of --mixed, as JSON in the form of mixed_row.schema.json, and as a table.

#pragma once

#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/mixed/mixed.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

struct MixedRow {
  Measurement code;  ///< only the fields about the code and its point
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

/// The note that the foreground and the repairs share a CPU. Empty if they share no CPU, or if there are no repairs.
Remarks mixed_notes(const MixedSettings& settings);

/// One line of JSON.
std::string mixed_json_text(const MixedRow& row);

/// A line of titles, a line for all foreground operations, a line for each kind of operation that was run, a line for the repairs,
/// and a line with CPU times.
std::string mixed_table(const MixedRow& row);

}  // namespace ecbench
