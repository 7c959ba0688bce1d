// What one call of ecbench does.

#pragma once

#include <string>
#include <vector>

#include "benchmark/environment/environment.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// `message` with every control character replaced, so that it stays one line whatever it quotes.
std::string one_line(const std::string& message);

/// Prints a line for the user to standard error.
void say(const std::string& message);

/// Prints what is not an error. Under Ceph's name, as Ceph's tool, the program prints errors only.
void note(const Options& options, const std::string& message);

/// With the threads and CPUs of the options.
Environment environment_of(const Options& options);

/// To be called before a plugin is loaded: it is named if it ends the process, and runs in a child process if it may do so by
/// itself.
void prepare_for_plugin(const PluginFile& plugin);

/// Does what the command line asks and returns the exit code: 0, or 1 if --list met a plugin that it cannot load. Throws Error.
int run(const std::vector<std::string>& arguments);

}  // namespace ecbench
