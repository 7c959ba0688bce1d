// ecbench: options in, one row out.

#include <iostream>

#include "benchmark/illegal_instruction.h"
#include "cli/run.h"
#include "erasure_code/error.h"

namespace {

enum ExitCode { success = 0, failure = 1, wrong_bytes = 2 };

}  // namespace

int main(int argc, char** argv) {
  using ecbench::Error;
  ecbench::explain_illegal_instructions();
  try {
    const int code = ecbench::run({argv, argv + argc});
    std::cout.flush();
    if (!std::cout) throw Error("cannot write to standard output");
    return code;
  } catch (const Error& error) {
    ecbench::say(error.what());
    return error.kind() == Error::Kind::wrong_bytes ? wrong_bytes : failure;
  } catch (const std::exception& error) {
    ecbench::say(error.what());
    return failure;
  } catch (...) {
    ecbench::say("the plugin failed: it threw something that is not an exception");
    return failure;
  }
}
