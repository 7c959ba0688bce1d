// Appends lines to run files. A write that fails leaves no partial line. If a killed process left one, nothing is appended after
// it.

#pragma once

#include <string>

namespace ecbench {

/// Throws the Error of append_line() if the error can be predicted: if the file cannot be written, if it has no final newline, or
/// if the directory does not allow a new file. Creates nothing. Call this function before a measurement whose row will be appended.
void require_appendable(const std::string& path);

/// Appends `line`, which must not contain a newline, and a newline to the file at `path`, and returns when both are on the disk.
/// Creates the file if necessary. Writers in several processes wait for each other. On failure, truncates the file to its previous
/// size, so that a full disk leaves no partial line, and throws Error. Also throws Error for a path that is not a regular file, and
/// for a file without a final newline (a killed writer may leave such a file).
void append_line(const std::string& path, const std::string& line);

}  // namespace ecbench
