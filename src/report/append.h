// Appends lines to run files. If a write fails, the partial line is removed. If a killed process has left a partial line in a file,
// no line is appended to this file.

#pragma once

#include <string>

namespace ecbench {

/// Throws the Error of append_line() that can be predicted: the file cannot be written or created, or its last line has no newline.
/// Does not create the file. For use before a measurement.
void require_appendable(const std::string& path);

/// `line` without newline. Returns when it is on the disk. Processes wait for each other. If the write fails (full disk), truncates
/// the file to its previous size. Throws Error, also if `path` is not a regular file, or its last line has no newline (from a
/// process that was killed).
void append_line(const std::string& path, const std::string& line);

}  // namespace ecbench
