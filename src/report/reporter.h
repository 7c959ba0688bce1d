// Prints a row in one of several formats, and messages. A new format needs a function, and a line in the list in reporter.cc.

#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/warnings/remarks.h"

namespace ecbench {

/// Throws the Error of append_line() that can be predicted: the file cannot be written or created, or its last line has no newline.
/// Does not create the file. For use before a measurement.
void require_appendable(const std::string& path);

/// `line` without newline. Returns when it is on the disk. Processes wait for each other. If the write fails (full disk), truncates
/// the file to its previous size. Throws Error, also if `path` is not a regular file, or its last line has no newline (from a
/// process that was killed).
void append_line(const std::string& path, const std::string& line);

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

std::vector<std::string> format_names();

/// `terminal`: the columns of a table are aligned. Throws Error for an unknown format.
void write_row(const Row& row, const std::string& format, bool terminal, std::ostream& out);

/// As --format json, without the newline; a line of a run file.
std::string json_line(const Row& row);

/// With `decimals` decimals.
std::string fixed(double number, int decimals);

/// Without control characters; long words and messages are shortened.
std::string one_line(const std::string& message);

/// To standard error, as one line.
void say(const std::string& message);

/// Nothing if as_ceph is set: Ceph's tool prints only errors.
void note(bool as_ceph, const std::string& message);

/// Counts and codes in one line; with `verbose`, the texts. Flushes standard output first, so that they follow the result.
void say_remarks(bool verbose, const Remarks& warnings, const Remarks& notes);

}  // namespace ecbench
