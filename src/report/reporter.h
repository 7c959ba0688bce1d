// Prints a row in one of several formats. To add a format, write a file with its function, declare the function below, and add the
// format to the list in reporter.cc.

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
  /// The libraries in the directory point.codec_lib that plugins use. Empty if no such directory is given.
  std::vector<SharedObject> codec_libraries = {};
  Remarks warnings = {};  ///< why the figures may be wrong
  Remarks notes = {};     ///< other information for the user
  std::string host = {};  ///< from host_name(); "" if it is unknown
  std::string date = {};  ///< start of the measurement, in the format 2025-01-31T23:59:59Z
};

/// The table prints this mark after the number of GB/s if the row has warnings.
inline constexpr const char* warning_mark = "!";

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void print(const Row& row, std::ostream& out) const = 0;
};

std::vector<std::string> format_names();

/// The reporter for `format`. `terminal` is true if the output is a terminal; then the columns of the table are aligned. Throws
/// Error for an unknown format.
std::unique_ptr<Reporter> make_reporter(const std::string& format, bool terminal);

/// One function for each format, each defined in a file of its own.
std::unique_ptr<Reporter> make_table_reporter(bool terminal);
std::unique_ptr<Reporter> make_ceph_reporter(bool terminal);
std::unique_ptr<Reporter> make_json_reporter(bool terminal);
std::unique_ptr<Reporter> make_csv_reporter(bool terminal);

/// The row as --format json prints it, without the newline: a line of a run file.
std::string json_line(const Row& row);

/// Seconds with six decimals, as Ceph prints them.
std::string format_seconds(double seconds);

}  // namespace ecbench
