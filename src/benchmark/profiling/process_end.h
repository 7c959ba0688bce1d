// The exit code is the program's own: 2 says that bytes were wrong, and 0 that all went well. A plugin, or a library or runtime
// below it, that ends the process by itself gives neither; the process then ends with exit code 1 and one line.

#pragma once

#include <string>

namespace ecbench {

/// From here on exit() ends the process with exit code 1 and a line on stderr, unless announce_end() came before.
void watch_process_end();

/// The plugin that the line names, from now on.
void blame_for_process_end(const std::string& plugin);

/// Goes on in a child of this process, for a runtime that ends the process by a system call of its own. This process waits for
/// the child and ends as announced there, by the signal that ended the child, or with exit code 1 and the line. Once only: later
/// calls do nothing, and neither does one under valgrind, which would write its output twice. Call it before there are threads.
/// Throws Error if no process can be made.
void continue_in_child();

/// Says with which exit code the process is about to end.
void announce_end(int exit_code);

/// Ends the process now with `exit_code`, without cleaning up. For signal handlers too.
[[noreturn]] void end_process(int exit_code);

/// What _exit() and its like are to do: end as announced; else as watch_process_end() says; in a copy of the process, end with
/// `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

}  // namespace ecbench
