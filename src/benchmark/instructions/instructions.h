// Counts the instructions that a workload executes, exactly and by address, without an emulator.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

struct ObjectInstructions {
  std::string path;                                         ///< as LoadedObject::path; "" for code that is in no file
  std::vector<std::pair<std::uintptr_t, std::int64_t>> at;  ///< counts by address in the file, in ascending order
};

struct InstructionCount {
  std::uint64_t iterations = 0;    ///< number of iterations that were counted
  std::uint64_t instructions = 0;  ///< sum over all iterations; a REP string instruction counts as one
  std::uint64_t repetitions = 0;   ///< repetitions of REP string instructions, without the first of each
  std::vector<ObjectInstructions> objects;

  double per_iteration() const { return static_cast<double>(instructions) / static_cast<double>(iterations); }
  double repetitions_per_iteration() const { return static_cast<double>(repetitions) / static_cast<double>(iterations); }
};

/// Counts `iterations` iterations of `workload`, the workload of `point`, in one thread on copies of `object`, and checks the
/// results. Throws the errors of count_steps(). Also throws Error if the program runs under valgrind, because codes use other
/// kernels there. Throws Error of kind wrong_bytes if the check fails.
InstructionCount count_instructions(const Point& point, const EncodedObject& object, const Workload& workload,
                                    std::uint64_t iterations);

}  // namespace ecbench
