// The best speed of the probes in earlier runs on a machine, in $XDG_STATE_HOME/ecbench/probe (default
// ~/.local/state/ecbench/probe): it shows that another program used the core during the whole run. The first line of the file is
// the version of the loops; the others are "THROUGHPUT MEMORY MACHINE". Other lines, and those above 64 KiB, are dropped when the
// file is written.

#pragma once

#include <filesystem>
#include <string>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/sampling/probe.h"

namespace ecbench {

/// "" if neither $XDG_STATE_HOME nor $HOME is an absolute path.
std::filesystem::path reference_file();

/// Host and CPU model.
std::string machine_name(const CpuInfo& cpu);

/// Zeros if there is no reference, or the file cannot be read.
ProbeSpeed read_reference(const std::filesystem::path& file, const std::string& machine);

/// Writes the file if a speed of `speed` is more than 0.5 % higher than the stored one. If several processes write, the file stays
/// complete, but one speed may be lost. False if no speed is known, or the file cannot be written.
bool store_reference(const std::filesystem::path& file, const std::string& machine, const ProbeSpeed& speed);

}  // namespace ecbench
