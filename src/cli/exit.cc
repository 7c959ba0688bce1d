// Replaces the functions of the C library that end the process without calling the handlers of exit(). Without this file, a plugin
// could end the process with exit code 0. If a plugin, or a library that it uses, calls one of these functions, the function in
// this file runs. Only the program ecbench is linked with this file. The test programs use the C library's functions.

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
