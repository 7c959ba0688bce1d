// --serve-slices: times a point in short slices on request. Two processes with --serve-slices share the memory of the objects, so
// that two builds can be compared. benchmark/slices/slices.h explains the method, and slice_server.cc explains the protocol.

#pragma once

#include <iostream>

#include "benchmark/workloads/workload.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Throws Error for options that cannot be combined with --serve-slices.
void check_servable(const Options& options);

/// Writes a description of the point to `out`. Then reads commands from `in`, one per line, and executes them, until "quit" or the
/// end of the input. Throws Error for an unknown command. If "check" finds wrong bytes, writes the answer and then throws Error.
void serve_slices(const Options& options, const Point& point, const Registry& registry, const EncodedObject& object,
                  const Workload& workload, std::istream& in, std::ostream& out);

}  // namespace ecbench
