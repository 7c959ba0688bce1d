// Replaces these functions of the C library for plugins and for all libraries that they use. Only the program contains this file;
// tests use the C library's functions.

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
