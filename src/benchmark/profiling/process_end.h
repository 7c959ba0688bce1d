// Protects the meaning of the exit code: only the program itself may report success (0) or wrong bytes (2). If a plugin, or a
// library or runtime that it uses, ends the process, the exit code is 1 and a line explains the reason.

#pragma once

#include <string>

namespace ecbench {

/// After this call, exit() ends the process with exit code 1 and a line on stderr, unless announce_end() was called before.
void watch_process_end();

/// Sets the name of the plugin for the line on stderr; see watch_process_end().
void blame_for_process_end(const std::string& plugin);

/// Continues in a child process. This is needed because some runtimes end the process by their own system call, which no function
/// of this program can intercept. This process waits for the child. If a signal ended the child, the same signal ends this process.
/// Otherwise this process ends with the exit code that the child announced. If the child announced none, this process ends with
/// exit code 1 and the line of watch_process_end(). Later calls do nothing. A call under valgrind also does nothing, because
/// valgrind would write its output twice. Must be called before threads are started. Throws Error if no process can be created.
void continue_in_child();

/// Announces the exit code with which the process is about to end.
void announce_end(int exit_code);

/// Ends the process at once with `exit_code`, without cleaning up. Safe in signal handlers.
[[noreturn]] void end_process(int exit_code);

/// The replacement of _exit() and similar functions. Ends the process with the announced exit code. If no exit code was announced,
/// ends as watch_process_end() describes. In a forked copy of the process, ends with `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

}  // namespace ecbench
