// Executes one command line of ecbench.

#pragma once

#include <string>
#include <vector>

#include "benchmark/environment/environment.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Replaces every control character in `message`, so that the result is one line.
std::string one_line(const std::string& message);

/// Prints `message` to standard error, as one line.
void say(const std::string& message);

/// Prints a message that is not an error. Does nothing if options.as_ceph is set, because Ceph's tool prints only errors.
void note(const Options& options, const std::string& message);

/// Reads the environment of this process. The number of threads and the pinned CPUs are copied from `options`.
Environment environment_of(const Options& options);

/// The dispatch level and the number of threads of `point`. They apply to the code of `point` and to the codes that this code is
/// built on.
Limits limits_of(const Point& point);

/// Must be called before `plugin` is loaded. If the plugin ends the process later, an error message names the plugin. If
/// plugin.ends_process is true, the program continues in a child process, and this process waits for the child.
void prepare_for_plugin(const PluginFile& plugin);

/// Executes the command line and returns the exit code: 0, or 1 if --list cannot load a plugin. Throws Error.
int run(const std::vector<std::string>& arguments);

}  // namespace ecbench
