// The best speed of the probes in earlier runs on a machine, stored in $XDG_STATE_HOME/ecbench/probe (default
// ~/.local/state/ecbench/probe). With it, a run detects that its core was shared all the time.
//
// The first line of the file is the version of the loops; then one line "THROUGHPUT MEMORY MACHINE" follows for each machine. Other
// lines are ignored and removed at the next change.

#pragma once

#include <filesystem>
#include <string>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/sampling/probe.h"

namespace ecbench {

/// The path of the file; "" if neither $XDG_STATE_HOME nor $HOME is an absolute path.
std::filesystem::path reference_file();

/// Host and CPU model: each has its own reference.
std::string machine_name(const CpuInfo& cpu);

/// The stored speeds; zeros if there is no reference, or if the file cannot be read.
ProbeSpeed read_reference(const std::filesystem::path& file, const std::string& machine);

/// Raises the reference to `speed` if that is higher. Concurrent writers always leave a complete file, but the value of one may be
/// lost. False if it cannot be stored.
bool store_reference(const std::filesystem::path& file, const std::string& machine, const ProbeSpeed& speed);

}  // namespace ecbench
