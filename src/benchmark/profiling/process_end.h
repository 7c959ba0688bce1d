// Protects the meaning of the exit code: only the program itself may report success (0) or wrong bytes (2). If a plugin, or a
// library or runtime that it uses, ends the process, the exit code is 1, and a line on stderr explains this.

#pragma once

#include <string>

namespace ecbench {

/// After this call, exit() ends the process with exit code 1 and a line on stderr, unless announce_end() has been called before
/// exit().
void watch_process_end();

/// Sets the name of the plugin for the line on stderr; see watch_process_end().
void blame_for_process_end(const std::string& plugin);

/// Creates a child process, in which the program continues. This is needed because some runtimes end the process with a system call
/// of their own, which no function of this program can intercept. The parent process waits for the child. If a signal ended the
/// child, the parent ends with the same signal. Otherwise the parent ends with the exit code that the child announced. If the child
/// announced no exit code, the parent ends with exit code 1 and prints the line of watch_process_end(). Later calls do nothing. A
/// call under valgrind also does nothing, because valgrind would write its output twice. Must be called before threads are started.
/// Throws Error if no process can be created.
void continue_in_child();

/// Announces the exit code of this process. The caller ends the process afterwards.
void announce_end(int exit_code);

/// Ends the process at once with `exit_code`, without cleaning up. Safe in signal handlers.
[[noreturn]] void end_process(int exit_code);

/// Replaces _exit() and similar functions. Ends the process with the announced exit code. If no exit code was announced, ends the
/// process with exit code 1 and a line on stderr. If another process that was forked from this process calls this function, that
/// process ends with `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

}  // namespace ecbench
