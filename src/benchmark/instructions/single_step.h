// Counts instructions exactly, without a counter of the CPU's: a forked copy of this process does the work, and is stepped one
// instruction at a time (PTRACE_SINGLESTEP). It runs natively, so that kernels are counted that valgrind cannot run.
//
// What counts as one: an instruction that is executed, whatever it does; a REP string instruction too, however often it repeats.
// The CPU traps after each repetition of one, so that they can be distinguished: a step that stays at its instruction is a
// repetition. (So does one that jumps to itself, as `1: loop 1b`, which compilers do not write.) A system call is one; what the
// kernel does in it is not counted.

#pragma once

#include <cstdint>
#include <functional>
#include <map>

namespace ecbench {

struct StepCount {
  std::uint64_t instructions = 0;             ///< executed
  std::uint64_t repetitions = 0;              ///< of REP string instructions, beyond the first of each
  std::map<std::uintptr_t, std::int64_t> at;  ///< instructions executed at each address of this process, where there are any
};

/// Enough for 1 MiB; more take minutes.
inline constexpr std::uint64_t most_steps = 5'000'000;

/// What `work(iterations)` executes beyond what `work(0)` does, after one work(1) that is not counted. This process must have one
/// thread, and loses nothing: its memory is the copy's own. Throws Error where it may not be traced, after `limit` steps, and if
/// the work throws.
StepCount count_steps(const std::function<void(std::uint64_t iterations)>& work, std::uint64_t iterations,
                      std::uint64_t limit = most_steps);

}  // namespace ecbench
