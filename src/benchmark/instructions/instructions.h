// How many instructions a workload executes, natively and exactly, and where.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

struct ObjectInstructions {
  std::string path;                                         ///< as LoadedObject::path; "" for code in no file
  std::vector<std::pair<std::uintptr_t, std::int64_t>> at;  ///< by address in the file's own addresses, in their order
};

struct InstructionCount {
  std::uint64_t iterations = 0;    ///< that were counted
  std::uint64_t instructions = 0;  ///< of all of them, a REP string instruction counted once
  std::uint64_t repetitions = 0;   ///< of REP string instructions, beyond the first of each
  std::vector<ObjectInstructions> objects;

  double per_iteration() const { return static_cast<double>(instructions) / static_cast<double>(iterations); }
  double repetitions_per_iteration() const { return static_cast<double>(repetitions) / static_cast<double>(iterations); }
};

/// Counts `iterations` iterations of `workload`, which `point` names, by one thread on copies of `object`, by count_steps(), and
/// checks what they leave. Throws Error for what count_steps() cannot do, under valgrind, which runs other kernels, and wrong_bytes
/// if the check fails.
InstructionCount count_instructions(const Point& point, const EncodedObject& object, const Workload& workload,
                                    std::uint64_t iterations);

}  // namespace ecbench
