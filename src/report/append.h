// Run files: one line after the other, and whatever happens, whole lines.

#pragma once

#include <string>

namespace ecbench {

/// Throws the Error that append_line() would, as far as that can be told before: for a file that cannot be written or is torn, or a
/// directory that takes no new file. Creates nothing. Ask it before the measurement whose row is to go there.
void require_appendable(const std::string& path);

/// Appends `line`, which has no newline in it, and a newline to the file at `path`, which is made if need be, and returns when both
/// are on the disk. Writers in several processes wait for each other. If it cannot be done, the file is cut back to what it was, so
/// that a full disk leaves no half line, and Error is thrown; also for a file whose last line has no newline, as a writer leaves
/// behind that was killed, and for what is no regular file.
void append_line(const std::string& path, const std::string& line);

}  // namespace ecbench
