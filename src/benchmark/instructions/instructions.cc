#include "benchmark/instructions/instructions.h"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <unordered_map>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr int may_not_be_traced = 3;
constexpr int work_threw = 4;

/// In the copy. Stops before work(0), between work(0) and work(iterations), and after.
[[noreturn]] void run_stepped(const std::function<void(std::uint64_t)>& work, std::uint64_t iterations) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(may_not_be_traced);
  try {
    work(1);  // resolves symbols and touches pages, so that this work is not counted
    const std::array<std::uint64_t, 2> counted{0, iterations};
    for (const std::uint64_t count : counted) {
      raise(SIGSTOP);
      work(count);
    }
    raise(SIGSTOP);
  } catch (...) {
    _exit(work_threw);
  }
  _exit(0);
}

/// The two processes run in turn; on two CPUs, each step would have to wake the other one, which takes longer than the step.
class OnOneCpu {
 public:
  OnOneCpu() {
    known_ = sched_getaffinity(0, sizeof(before_), &before_) == 0;
    const int cpu = sched_getcpu();
    if (!known_ || cpu < 0 || cpu >= CPU_SETSIZE) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~OnOneCpu() {
    if (known_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_{};
  bool known_ = false;
};

/// In the parent. The destructor ends the copy.
class Stepped {
 public:
  explicit Stepped(pid_t pid) : pid_(pid) {}
  ~Stepped() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, __WALL);
  }
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;

  void begin() {
    wait();
    while (signal_ != SIGSTOP) go(PTRACE_CONT);
    if (ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL) != 0) throw cannot_step();
  }

  StepCount step_to_stop(std::uint64_t limit) {
    StepCount count;
    std::unordered_map<std::uintptr_t, std::int64_t> at;
    std::uintptr_t next = address();
    for (std::uint64_t steps = 0;; steps++) {
      if (steps == limit) {
        throw Error("--count-instructions needs more than " + std::to_string(limit) +
                    " single steps; this is the maximum, because each step takes microseconds; give a smaller --size or fewer "
                    "--iterations");
      }
      go(PTRACE_SINGLESTEP);
      if (signal_ == SIGSTOP) break;
      if (signal_ != SIGTRAP) continue;  // the next step delivers this signal
      signal_ = 0;
      const std::uintptr_t before = next;
      next = address();
      if (next == before) {
        count.repetitions++;
      } else {
        count.instructions++;
        at[before]++;
      }
    }
    count.at.insert(at.begin(), at.end());
    return count;
  }

 private:
  static Error cannot_step() {
    return Error(std::string("--count-instructions is not possible here: the system does not permit single-stepping "
                             "(PTRACE_SINGLESTEP) of a process (") +
                 std::strerror(errno) + "); run ecbench without a debugger, or in a container that permits ptrace");
  }

  void go(__ptrace_request how) {
    const long signal = signal_ == SIGSTOP ? 0 : signal_;
    if (ptrace(how, pid_, nullptr, signal) != 0) throw cannot_step();
    wait();
  }

  void wait() {
    int status = 0;
    while (waitpid(pid_, &status, __WALL) < 0) {
      if (errno != EINTR) throw cannot_step();
    }
    if (WIFSTOPPED(status)) {
      signal_ = WSTOPSIG(status);
      return;
    }
    pid_ = 0;
    if (WIFSIGNALED(status)) {
      throw Error("--count-instructions: the single-stepped copy of this process was ended by signal " +
                  std::to_string(WTERMSIG(status)));
    }
    errno = EPERM;
    if (WEXITSTATUS(status) == may_not_be_traced) throw cannot_step();
    throw Error(
        "--count-instructions: the workload failed in the single-stepped copy of this process; leave the option out to "
        "see the error");
  }

  /// The next instruction.
  std::uintptr_t address() const {
    __ptrace_syscall_info info{};
    const long size = ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof(info), &info);
    if (size <= 0) throw cannot_step();
    return static_cast<std::uintptr_t>(info.instruction_pointer);
  }

  pid_t pid_;
  int signal_ = 0;  ///< the signal that stopped the copy; the next step delivers this signal, except SIGSTOP and SIGTRAP
};

/// work(iterations) - work(0)
StepCount beyond(const StepCount& nothing, StepCount count) {
  count.instructions -= nothing.instructions;
  count.repetitions -= nothing.repetitions;
  for (const auto& [address, times] : nothing.at) {
    if ((count.at[address] -= times) == 0) count.at.erase(address);
  }
  return count;
}

std::vector<ObjectInstructions> by_object(const std::map<std::uintptr_t, std::int64_t>& at) {
  const std::vector<LoadedObject> loaded = loaded_objects();
  std::map<std::string, ObjectInstructions> objects;
  for (const auto& [address, count] : at) {
    const LoadedObject* found = object_with(reinterpret_cast<const void*>(address), loaded);
    const std::string path = found == nullptr ? "" : found->path;
    const std::uintptr_t base = found == nullptr ? 0 : found->base;
    ObjectInstructions& object = objects[path];
    object.path = path;
    object.at.emplace_back(address - base, count);
  }
  std::vector<ObjectInstructions> list;
  for (auto& [path, object] : objects) list.push_back(std::move(object));
  return list;
}

}  // namespace

StepCount count_steps(const std::function<void(std::uint64_t iterations)>& work, std::uint64_t iterations, std::uint64_t limit) {
  const OnOneCpu on_one_cpu;
  const pid_t pid = fork();
  if (pid < 0) throw Error(std::string("--count-instructions cannot copy this process: ") + std::strerror(errno));
  if (pid == 0) run_stepped(work, iterations);
  Stepped copy(pid);
  copy.begin();
  const StepCount nothing = copy.step_to_stop(limit);
  return beyond(nothing, copy.step_to_stop(limit));
}

InstructionCount count_instructions(const Point& point, const EncodedObject& object, const Workload& workload,
                                    std::uint64_t iterations) {
  if (runs_under_valgrind()) {
    throw Error("--count-instructions is not allowed under valgrind: run ecbench without valgrind, or use callgrind's count");
  }
  const Placements placements(object, 1, 1, workload_named(point.workload).objects_per_iteration);
  const Objects objects = placements.objects(0, 0);
  const StepCount count = count_steps([&](std::uint64_t n) { workload.run(objects, 0, n); }, iterations);
  // The results are in the memory of the forked process that was counted, so the same iterations run again here and are checked.
  workload.poison_results(*objects.front());
  workload.run(objects, 0, iterations);
  for (const EncodedObject* each : objects) workload.check_results(*each);
  if (!workload_named(point.workload).is_reference_loop) workload.prove_first(*objects.front(), iterations);
  return {.iterations = iterations,
          .instructions = count.instructions,
          .repetitions = count.repetitions,
          .objects = by_object(count.at)};
}

}  // namespace ecbench
