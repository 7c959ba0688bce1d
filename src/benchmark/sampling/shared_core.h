// A machine on which another hardware thread uses the core all the time: that is the state of the machine, so that waiting for
// clean samples would take time for nothing. Processes of one run share what they found in the file of --limit-file.

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "benchmark/sampling/sample.h"

namespace ecbench {

/// Numbers of samples.
struct CoreUse {
  std::size_t no_cpu = 0;  ///< a thread waited for its CPU
  std::size_t shared = 0;  ///< another hardware thread used the core
  std::size_t free = 0;

  void add(std::span<const Sample> samples);
};

struct SharedCore {
  double throughput = 0;  ///< speed of the probes (ProbeSpeed); 0: the core is not shared all the time, or this is unknown
  double seconds = 0;     ///< duration of sampling in this state, without an interruption

  /// After two seconds.
  bool is_state() const;
};

/// After samples that took `seconds`, whose probes have the undisturbed_speed() `throughput`. No state if more than 2 % of those
/// that had their CPU were free (one of a few may be). The time without a CPU does not count.
SharedCore shared_core_of(const CoreUse& use, double throughput, double seconds);

/// `now` as the continuation of `before`, whose throughput is kept once it is a state. If the throughputs differ by more than
/// between undisturbed probes, `now` is another state.
SharedCore continued(const SharedCore& before, const SharedCore& now);

/// The result of the processes before this one; no state if the last of them ended more than 30 s ago, or if the file cannot be
/// read.
SharedCore read_shared_core(const std::string& file);

/// `now`: of this process only.
void store_shared_core(const std::string& file, const SharedCore& now);

}  // namespace ecbench
