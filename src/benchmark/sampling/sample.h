// A timed batch of iterations, and its disturbance.

#pragma once

#include <vector>

#include "benchmark/sampling/probe.h"

namespace ecbench {

enum class Disturbance {
  none,
  cpu_taken,    ///< a thread waited for its CPU
  core_shared,  ///< the probe before or after the sample was slow: another hardware thread used the core
  memory_busy,  ///< in the probe before or after the sample, the reads from memory were slow
};

struct Sample {
  int placement = 0;                   ///< number of its placement
  double seconds = 0;                  ///< wall clock time from the start of the first thread to the end of the last thread
  double cpu_seconds = 0;              ///< sum over all threads
  std::vector<double> thread_seconds;  ///< one value per thread
  double cpu_share = 1;                ///< CPU time / wall clock time; lowest value of all threads
  ProbeSpeed probe;                    ///< lowest speeds of all threads, before and after the sample; 0: not probed
  Disturbance disturbance = Disturbance::none;  ///< none: the sample is clean
};

}  // namespace ecbench
