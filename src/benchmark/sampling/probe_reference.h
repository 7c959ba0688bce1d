// The reference is the best speed of the probes in earlier runs on a machine. It is stored in the file
// $XDG_STATE_HOME/ecbench/probe (default ~/.local/state/ecbench/probe). With the reference, a run detects that another program used
// the same core during the whole run.
//
// The first line of the file contains the version of the probe's loops. Each other line has the format "THROUGHPUT MEMORY MACHINE".
// Lines in another format are ignored, and are removed when the file is written again.

#pragma once

#include <filesystem>
#include <string>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/sampling/probe.h"

namespace ecbench {

/// The path of the file with the references; "" if neither $XDG_STATE_HOME nor $HOME is an absolute path.
std::filesystem::path reference_file();

/// The name of the machine in the file: host and CPU model.
std::string machine_name(const CpuInfo& cpu);

/// The stored speeds; zeros if there is no reference, or if the file cannot be read.
ProbeSpeed read_reference(const std::filesystem::path& file, const std::string& machine);

/// If the throughput or the memory speed of `speed` is more than 0.5 % higher than the stored value, writes the file. The file then
/// contains the higher throughput and the higher memory speed. If several processes write the file at the same time, the file is
/// always complete, but the speed of one process may be lost. Returns false if both `speed` and the stored speed are 0, or if the
/// file cannot be written.
bool store_reference(const std::filesystem::path& file, const std::string& machine, const ProbeSpeed& speed);

}  // namespace ecbench
