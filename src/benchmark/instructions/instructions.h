// Counts how often a workload executes the instruction at each address. The counts are exact. No emulator is needed.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

struct ObjectInstructions {
  std::string path;                                         ///< see LoadedObject::path; "" if the code is not in a file
  std::vector<std::pair<std::uintptr_t, std::int64_t>> at;  ///< an address in the file and its count; sorted by address
};

struct InstructionCount {
  std::uint64_t iterations = 0;    ///< number of iterations that were counted
  std::uint64_t instructions = 0;  ///< sum over all iterations; a REP string instruction counts as one
  std::uint64_t repetitions = 0;   ///< additional repetitions: n - 1 for a REP string instruction with n repetitions
  std::vector<ObjectInstructions> objects;

  double per_iteration() const { return static_cast<double>(instructions) / static_cast<double>(iterations); }
  double repetitions_per_iteration() const { return static_cast<double>(repetitions) / static_cast<double>(iterations); }
};

/// `workload` is that of `point`; it runs in one thread on copies of `object`, and the results are checked. Throws the errors of
/// count_steps(); Error under valgrind (other kernels run there), and of kind wrong_bytes.
InstructionCount count_instructions(const Point& point, const EncodedObject& object, const Workload& workload,
                                    std::uint64_t iterations);

}  // namespace ecbench
