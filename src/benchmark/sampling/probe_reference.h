// The best speed that probes had on a machine in earlier runs, kept in $XDG_STATE_HOME/ecbench/probe (default
// ~/.local/state/ecbench/probe): with it a run notices that its core was shared all the time.
//
// The file has a line with the version of the loops, then a line "THROUGHPUT MEMORY MACHINE" for each machine. Whatever else it
// holds counts as nothing and is lost at the next change.

#pragma once

#include <filesystem>
#include <string>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/sampling/probe.h"

namespace ecbench {

/// Where the file is; "" if neither $XDG_STATE_HOME nor $HOME is an absolute path.
std::filesystem::path reference_file();

/// The host and its CPU model: what has a reference of its own.
std::string machine_name(const CpuInfo& cpu);

/// Zeros if there is no reference, or the file cannot be read.
ProbeSpeed read_reference(const std::filesystem::path& file, const std::string& machine);

/// Raises the reference to `speed` where that is higher. Writers in several processes leave a whole file; one of them may lose.
/// False if it cannot be kept.
bool store_reference(const std::filesystem::path& file, const std::string& machine, const ProbeSpeed& speed);

}  // namespace ecbench
