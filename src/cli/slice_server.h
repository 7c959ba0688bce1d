// --serve-slices: times a point in short slices, one whenever a program asks for it, on memory that it shares with another such
// process. So two builds are compared: see benchmark/slices/slices.h for how, and slice_server.cc for the protocol.

#pragma once

#include <iostream>

#include "benchmark/workloads/workload.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Throws Error for what the command line says that makes no sense with --serve-slices.
void check_servable(const Options& options);

/// Describes on `out` what is timed, and executes the commands on `in`, a line each, until "quit" or the end. Throws Error for a
/// line that is not a command, and, after the answer, for wrong bytes.
void serve_slices(const Options& options, const Point& point, const Registry& registry, const EncodedObject& object,
                  const Workload& workload, std::istream& in, std::ostream& out);

}  // namespace ecbench
