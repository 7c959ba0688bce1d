// Prints a row in one of several formats. To add a format, write a file with its reporter, and with a function that makes the
// reporter. Declare this function below, and add the format to the list in reporter.cc.

#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/warnings/remarks.h"

namespace ecbench {

struct Row {
  Measurement measurement;
  Summary summary;      ///< computed from `measurement`
  std::string command;  ///< the command that repeats the measurement, quoted for a shell
  /// Libraries in measurement.point.codec_lib that the plugins use.
  std::vector<SharedObject> codec_libraries = {};
  Remarks warnings = {};  ///< why the figures may be wrong
  Remarks notes = {};     ///< other information for the user
  std::string host = {};  ///< from host_name(); "" if it is unknown
  std::string date = {};  ///< start of the measurement, in the format 2025-01-31T23:59:59Z
};

/// After the value in the column GB/s, if the row has warnings.
inline constexpr const char* warning_mark = "!";

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void print(const Row& row, std::ostream& out) const = 0;
};

std::vector<std::string> format_names();

/// `terminal`: columns are aligned. Throws Error for an unknown format.
std::unique_ptr<Reporter> make_reporter(const std::string& format, bool terminal);

/// One for each format, each in a file of its own.
std::unique_ptr<Reporter> make_table_reporter(bool terminal);
std::unique_ptr<Reporter> make_ceph_reporter(bool terminal);
std::unique_ptr<Reporter> make_json_reporter(bool terminal);
std::unique_ptr<Reporter> make_csv_reporter(bool terminal);

/// As --format json, without the newline; a line of a run file.
std::string json_line(const Row& row);

/// `seconds` as text with six decimals, as Ceph's tool prints it.
std::string format_seconds(double seconds);

}  // namespace ecbench
