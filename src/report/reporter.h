// How a row goes out. To add a format, write its file and name it in reporter.cc.

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
  Summary summary;      ///< of `measurement`
  std::string command;  ///< the line that repeats it, quoted for a shell
  /// Those that point.codec_lib gave.
  std::vector<SharedObject> codec_libraries = {};
  Remarks warnings = {};  ///< why the figures may be wrong
  Remarks notes = {};     ///< what else a reader should know
  std::string host = {};  ///< of host_name(); "" if it is not known
  std::string date = {};  ///< when the measurement began, as 2025-01-31T23:59:59Z
};

/// What follows a figure of the table that has warnings.
inline constexpr const char* warning_mark = "!";

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void print(const Row& row, std::ostream& out) const = 0;
};

std::vector<std::string> format_names();

/// The reporter of `format`; `terminal` says whether people read the output as it is. Throws Error for an unknown format.
std::unique_ptr<Reporter> make_reporter(const std::string& format, bool terminal);

/// One function per format's file.
std::unique_ptr<Reporter> make_table_reporter(bool terminal);
std::unique_ptr<Reporter> make_ceph_reporter(bool terminal);
std::unique_ptr<Reporter> make_json_reporter(bool terminal);
std::unique_ptr<Reporter> make_csv_reporter(bool terminal);

/// The row as --format json prints it, which is a line of a run file, without its newline.
std::string json_line(const Row& row);

/// Seconds with six decimals, as Ceph prints them.
std::string format_seconds(double seconds);

}  // namespace ecbench
