// Prints a row in one of several formats. To add a format, write a file with its reporter, and with a function that makes the
// reporter. Declare this function below, and add the format to the list in reporter.cc.

#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

struct Row {
  Measurement measurement;
  Summary summary;      ///< computed from `measurement`
  std::string command;  ///< the command that repeats the measurement, quoted for a shell
  /// The libraries in the directory measurement.point.codec_lib that the plugins use. Empty if the point has no such directory.
  std::vector<SharedObject> codec_libraries = {};
  Remarks warnings = {};  ///< why the figures may be wrong
  Remarks notes = {};     ///< other information for the user
  std::string host = {};  ///< from host_name(); "" if it is unknown
  std::string date = {};  ///< start of the measurement, in the format 2025-01-31T23:59:59Z
};

/// If the row has warnings, the table contains this mark after the value in the column GB/s.
inline constexpr const char* warning_mark = "!";

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void print(const Row& row, std::ostream& out) const = 0;
};

std::vector<std::string> format_names();

/// The reporter for `format`. `terminal` must be true if the output is a terminal. The columns of the table are then aligned.
/// Throws Error if `format` is not a known format.
std::unique_ptr<Reporter> make_reporter(const std::string& format, bool terminal);

/// There is one function for each format. Each function is defined in a separate file.
std::unique_ptr<Reporter> make_table_reporter(bool terminal);
std::unique_ptr<Reporter> make_ceph_reporter(bool terminal);
std::unique_ptr<Reporter> make_json_reporter(bool terminal);
std::unique_ptr<Reporter> make_csv_reporter(bool terminal);

/// The row as --format json prints it, but without the newline. A run file contains one such line for each row.
std::string json_line(const Row& row);

/// `seconds` as text with six decimals, as Ceph's tool prints it.
std::string format_seconds(double seconds);

}  // namespace ecbench
