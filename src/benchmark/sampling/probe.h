// A probe is a short speed test of the CPU that shows whether another hardware thread uses the same core, and whether other
// programs use the memory. The thread's CPU time does not show this, nor does the topology that a virtual machine reports. It times
// a throughput-bound loop and a chain of dependent multiplications, which a busy sibling hardly slows down; their ratio does not
// depend on the clock frequency. A third, optional loop reads from memory.

#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "benchmark/environment/environment.h"

namespace ecbench {

/// The unit of time is one multiplication in the latency-bound loop. 0: unknown.
struct ProbeSpeed {
  double throughput = 0;  ///< instructions of the throughput-bound loop in the time of one multiplication
  double memory = 0;      ///< bytes read from memory in the time of one multiplication

  friend bool operator==(const ProbeSpeed&, const ProbeSpeed&) = default;
};

ProbeSpeed slower(const ProbeSpeed& a, const ProbeSpeed& b);
ProbeSpeed faster(const ProbeSpeed& a, const ProbeSpeed& b);

/// The speed of an undisturbed machine: the upper quartile of the throughputs (a quarter of the probes must be undisturbed), the
/// median of the memory speeds. 0 for a speed that fewer than 16 probes have.
ProbeSpeed undisturbed_speed(std::span<const ProbeSpeed> probes);

class Probe {
 public:
  /// `with_memory`: also reads from memory, in a separate buffer.
  explicit Probe(bool with_memory);

  /// Takes 40 us (with_memory: 80 us). It leaves nothing in the caches. On CPUs other than x86-64, all speeds are 0.
  ProbeSpeed run();

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> buffer_;
};

// The best speed of the probes in earlier runs on a machine, in $XDG_STATE_HOME/ecbench/probe (default
// ~/.local/state/ecbench/probe): it shows that another program used the core during the whole run. The first line of the file is
// the version of the loops; the others are "THROUGHPUT MEMORY MACHINE". Other lines, and those above 64 KiB, are dropped when the
// file is written.

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
