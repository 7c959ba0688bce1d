// Only the program itself may report success (0) or wrong bytes (2): if a plugin, or a library or runtime of it, ends the process,
// the exit code is 1, with a line on stderr.

#pragma once

#include <string>

namespace ecbench {

/// exit() then has exit code 1 and prints a line, unless announce_end() was called.
void watch_process_end();

void blame_for_process_end(const std::string& plugin);

/// Continues in a child process, because some runtimes end the process by a system call of their own. The parent ends with the
/// child's signal, with the exit code that the child announced, or with 1 and the line of watch_process_end(). Does nothing in
/// later calls and under valgrind, which would write its output twice. Call it before threads are started. Throws Error if no
/// process can be created.
void continue_in_child();

/// The caller ends the process afterwards.
void announce_end(int exit_code);

/// Safe in signal handlers.
[[noreturn]] void end_process(int exit_code);

/// Replaces _exit() and similar functions: the announced exit code, otherwise 1 and a line on stderr; in a forked process,
/// `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

// Prints one line if the program uses an instruction that the CPU or valgrind does not support.

/// Such an instruction then ends the process with exit code 1; a line on stderr shows its bytes and address.
void explain_illegal_instructions();

}  // namespace ecbench
