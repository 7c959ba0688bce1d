// Appends lines to run files. If a write fails, the partial line is removed. If a killed process has left a partial line in a file,
// no line is appended to this file.

#pragma once

#include <string>

namespace ecbench {

/// Throws the Error that append_line() would throw, if this error can be predicted. This is the case if the file cannot be written,
/// if its last line has no newline, or if the file does not exist and cannot be created. Does not create the file. Call this
/// function before a measurement whose row will be appended.
void require_appendable(const std::string& path);

/// Appends `line` and a newline to the file at `path`. `line` must not contain a newline. Returns when the line is on the disk.
/// Creates the file if it does not exist. If several processes append to a file, they wait for each other. If the write fails, for
/// example because the disk is full, truncates the file to its previous size and throws Error. Also throws Error if `path` is not a
/// regular file, or if the last line of the file has no newline. A process that is killed while it writes may leave such a line.
void append_line(const std::string& path, const std::string& line);

}  // namespace ecbench
