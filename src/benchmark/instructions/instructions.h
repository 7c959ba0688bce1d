// Counts instructions exactly, without a hardware counter. A forked copy of this process does the work and is single-stepped
// (PTRACE_SINGLESTEP). The code runs natively, so kernels that valgrind cannot run are counted too.
//
// In a REP string instruction, the CPU traps after each repetition: a step after which the address is the same counts as a
// repetition, not as an instruction. (So would an instruction that jumps to itself, which compilers do not generate.) A system call
// counts as one instruction, those of the operating system do not count.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

struct StepCount {
  std::uint64_t instructions = 0;             ///< number of executed instructions
  std::uint64_t repetitions = 0;              ///< additional repetitions: n - 1 for a REP string instruction with n repetitions
  std::map<std::uintptr_t, std::int64_t> at;  ///< number of executed instructions for each address in this process
};

/// Enough for an object of 1 MiB; more would take minutes.
inline constexpr std::uint64_t most_steps = 5'000'000;

/// work(iterations) - work(0), after one work(1), all in the copy. This process must have only one thread. Throws Error if tracing
/// is not permitted, the copy needs more than `limit` steps, or `work` throws.
StepCount count_steps(const std::function<void(std::uint64_t iterations)>& work, std::uint64_t iterations,
                      std::uint64_t limit = most_steps);

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
