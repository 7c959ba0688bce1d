// Executes one call of ecbench.

#pragma once

#include <string>
#include <vector>

#include "benchmark/environment/environment.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// `message` with every control character replaced, so that it stays one line.
std::string one_line(const std::string& message);

/// Prints a line for the user to standard error.
void say(const std::string& message);

/// Prints a message that is not an error. With the name of Ceph's tool the program prints only errors, as that tool does.
void note(const Options& options, const std::string& message);

/// Uses the threads and CPUs of the options.
Environment environment_of(const Options& options);

/// The limits of a point for its code and for the codes that it is built on.
Limits limits_of(const Point& point);

/// Call it before a plugin is loaded. If the plugin ends the process, the message names it; a plugin that may do so by a system
/// call runs in a child process.
void prepare_for_plugin(const PluginFile& plugin);

/// Executes the command line and returns the exit code: 0, or 1 if --list cannot load a plugin. Throws Error.
int run(const std::vector<std::string>& arguments);

}  // namespace ecbench
