// Counts instructions exactly, without a hardware counter. A forked copy of this process does the work and is single-stepped
// (PTRACE_SINGLESTEP). The code runs natively, so kernels that valgrind cannot run are counted too.
//
// Every executed instruction counts as one, also a REP string instruction with many repetitions. The CPU traps after each
// repetition. If the address of the instruction has not changed, the step was a repetition, which has its own count. (An
// instruction that jumps to itself, such as `1: loop 1b`, would look the same, but compilers do not generate it.) A system call
// counts as one; the kernel's instructions are not counted.

#pragma once

#include <cstdint>
#include <functional>
#include <map>

namespace ecbench {

struct StepCount {
  std::uint64_t instructions = 0;             ///< number of executed instructions
  std::uint64_t repetitions = 0;              ///< repetitions of REP string instructions, without the first of each
  std::map<std::uintptr_t, std::int64_t> at;  ///< executed instructions by address in this process
};

/// This number of steps is enough for an object of 1 MiB. More steps take minutes.
inline constexpr std::uint64_t most_steps = 5'000'000;

/// Counts the instructions that `work(iterations)` executes in addition to those of `work(0)`. Before the count begins, work(1)
/// runs once. This process must have one thread. Its memory is not changed, because the copy has its own memory. Throws Error if
/// tracing is not permitted, if the copy needs more than `limit` steps, or if `work` throws.
StepCount count_steps(const std::function<void(std::uint64_t iterations)>& work, std::uint64_t iterations,
                      std::uint64_t limit = most_steps);

}  // namespace ecbench
