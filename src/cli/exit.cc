// Replaces _exit(), _Exit() and quick_exit() of the C library, which end the process without calling exit handlers (on_exit(3)).
// Without the replacements, a plugin, or a library that it uses, could end ecbench with exit code 0 although there is no result.
// Only the program ecbench is linked with this file. The test programs use the functions of the C library.

#include "benchmark/profiling/process_end.h"

extern "C" {

[[gnu::noreturn, gnu::visibility("default")]] void _exit(int exit_code) {
  ecbench::end_without_cleaning_up(exit_code);
}

[[gnu::noreturn, gnu::visibility("default")]] void _Exit(int exit_code) {
  ecbench::end_without_cleaning_up(exit_code);
}

[[gnu::noreturn, gnu::visibility("default")]] void quick_exit(int exit_code) noexcept {
  ecbench::end_without_cleaning_up(exit_code);
}

}  // extern "C"
