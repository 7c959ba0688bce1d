// Executes one command line of ecbench.

#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remarks.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// For std::bad_alloc and std::length_error.
inline constexpr const char* too_little_memory =
    "there is not enough memory: give a smaller --size, fewer threads, or a profile with fewer chunks";

/// Without control characters; long words and messages are shortened.
std::string one_line(const std::string& message);

/// To standard error, as one line.
void say(const std::string& message);

/// Calls `call` after `seconds`, unless the result is destroyed before.
std::jthread after(double seconds, std::function<void()> call);

/// Throws Error if standard output could not be written.
void flush_output();

/// Nothing if options.as_ceph is set: Ceph's tool prints only errors.
void note(const Options& options, const std::string& message);

/// Counts and codes in one line; with options.verbose, the texts. Flushes standard output first, so that they follow the result.
/// Nothing if options.as_ceph is set.
void say_remarks(const Options& options, const Remarks& warnings, const Remarks& notes);

/// Number of threads and pinned CPUs are those of `options`.
Environment environment_of(const Options& options);

/// For the code of `point` and the codes that it is built on.
Limits limits_of(const Point& point);

/// Before `plugin` is loaded: if it ends the process later, a message names it. With plugin.ends_process, the program continues in
/// a child process.
void prepare_for_plugin(const PluginFile& plugin);

/// Executes the command line and returns the exit code: 0, or 1 if --list cannot load a plugin. Throws Error.
int run(const std::vector<std::string>& arguments);

}  // namespace ecbench
