// The main program of ecbench. Prints the message of an error, and returns the exit code.

#include <new>
#include <stdexcept>
#include <system_error>

#include "benchmark/profiling/profiling.h"
#include "cli/commands.h"
#include "erasure_code/error.h"

namespace {

enum ExitCode { success = 0, failure = 1, wrong_bytes = 2 };

int exit_code_of(const std::vector<std::string>& arguments) {
  using ecbench::Error;
  try {
    const int code = ecbench::run(arguments);
    ecbench::flush_output();
    return code;
  } catch (const Error& error) {
    ecbench::say(error.what());
    return error.kind() == Error::Kind::wrong_bytes ? wrong_bytes : failure;
  } catch (const std::bad_alloc&) {
    ecbench::say(ecbench::too_little_memory);
    return failure;
  } catch (const std::length_error&) {
    ecbench::say(ecbench::too_little_memory);
    return failure;
  } catch (const std::system_error& error) {  // of a file, for example: no plugin failed
    ecbench::say(error.what());
    return failure;
  } catch (const std::exception& error) {
    ecbench::say(ecbench::blamed_plugin() +
                 " failed: " + (*error.what() == '\0' ? "it threw an exception without a text" : error.what()));
    return failure;
  } catch (...) {
    ecbench::say(ecbench::blamed_plugin() + " failed: it threw something that is not an exception");
    return failure;
  }
}

}  // namespace

// Replace functions of the C library, which end the process without calling exit handlers (on_exit(3)). Without the replacements, a
// plugin, or a library that it uses, could end ecbench with exit code 0 although there is no result. The test programs are not
// linked with this file, and use the functions of the C library.
extern "C" {

[[gnu::noreturn, gnu::visibility("default")]] void _exit(int exit_code) { ecbench::end_without_cleaning_up(exit_code); }

[[gnu::noreturn, gnu::visibility("default")]] void _Exit(int exit_code) { ecbench::end_without_cleaning_up(exit_code); }

[[gnu::noreturn, gnu::visibility("default")]] void quick_exit(int exit_code) noexcept {
  ecbench::end_without_cleaning_up(exit_code);
}

}  // extern "C"

int main(int argc, char** argv) {
  ecbench::watch_process_end();
  ecbench::explain_crashes();
  const int exit_code = exit_code_of({argv, argv + argc});
  ecbench::announce_end(exit_code);
  return exit_code;
}
