// A timed batch of iterations, and what disturbed it.

#pragma once

#include <vector>

#include "benchmark/sampling/probe.h"

namespace ecbench {

enum class Disturbance {
  none,
  cpu_taken,    ///< a thread waited for its CPU
  core_shared,  ///< the probe before or after was slow: another hardware thread used the core
  memory_busy,  ///< the same of its memory loop
};

/// One timed batch of iterations, by all threads together.
struct Sample {
  int placement = 0;                            ///< which of the places in memory it worked on
  double seconds = 0;                           ///< of wall clock, from the common start to the last thread's end
  double cpu_seconds = 0;                       ///< of all threads
  std::vector<double> thread_seconds;           ///< of each thread
  double cpu_share = 1;                         ///< CPU seconds / wall seconds of the thread that had its CPU least
  ProbeSpeed probe;                             ///< the lower speeds of the probes before and after, of all threads; 0: not probed
  Disturbance disturbance = Disturbance::none;  ///< the sample is clean if there is none
};

}  // namespace ecbench
