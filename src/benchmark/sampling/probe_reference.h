// The best speed of the probes in earlier runs on a machine, stored in $XDG_STATE_HOME/ecbench/probe (default
// ~/.local/state/ecbench/probe). With this reference, a run detects that its core was shared all the time.
//
// The first line of the file is the version of the loops. It is followed by one line "THROUGHPUT MEMORY MACHINE" for each machine.
// Other lines are ignored, and are removed at the next change.

#pragma once

#include <filesystem>
#include <string>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/sampling/probe.h"

namespace ecbench {

/// The path of the file; "" if neither $XDG_STATE_HOME nor $HOME is an absolute path.
std::filesystem::path reference_file();

/// The name of the machine in the file: host and CPU model.
std::string machine_name(const CpuInfo& cpu);

/// The stored speeds; zeros if there is no reference, or if the file cannot be read.
ProbeSpeed read_reference(const std::filesystem::path& file, const std::string& machine);

/// Compares `speed` with the stored speeds. If its throughput or its memory speed is more than 0.5 % above the stored one, stores
/// the higher throughput and the higher memory speed. Otherwise the file is not written. Concurrent writers always leave a complete
/// file, but the value of one writer may be lost. Returns false if no speed is known, or if the file cannot be written.
bool store_reference(const std::filesystem::path& file, const std::string& machine, const ProbeSpeed& speed);

}  // namespace ecbench
