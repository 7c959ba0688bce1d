// Guards the exit code: only the program itself may report success (0) or wrong bytes (2). If a plugin, or a library or runtime
// that it uses, ends the process, the exit code becomes 1 and a line explains this.

#pragma once

#include <string>

namespace ecbench {

/// After this call, exit() ends the process with exit code 1 and a line on stderr, unless announce_end() was called before.
void watch_process_end();

/// Sets the plugin that the line names.
void blame_for_process_end(const std::string& plugin);

/// Continues in a child process, for runtimes that end the process by their own system call. This process waits for the child. It
/// ends with the exit code that the child announced, by the signal that ended the child, or with exit code 1 and the line. Later
/// calls do nothing; neither does a call under valgrind, which would write its output twice. Call it before threads are started.
/// Throws Error if no process can be created.
void continue_in_child();

/// Announces the exit code with which the process is about to end.
void announce_end(int exit_code);

/// Ends the process at once with `exit_code`, without cleaning up. Safe in signal handlers.
[[noreturn]] void end_process(int exit_code);

/// The replacement of _exit() and similar functions. Ends with the announced code; without one, as watch_process_end() describes;
/// in a forked copy of the process, with `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

}  // namespace ecbench
