#include "benchmark/profiling/profiling.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string_view>

#include "benchmark/profiling/client_requests.h"
#include "erasure_code/error.h"

#if ECBENCH_CLIENT_REQUESTS
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#endif

namespace ecbench {
namespace {

constexpr const char* variable = "ECBENCH_PERF_CONTROL";
constexpr int patience_ms = 10000;

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(std::string(variable) + ": " + what + " " + why +
              ": give the paths of two FIFOs as CTL,ACK, and run perf record -D -1 --control fifo:CTL,ACK with the same FIFOs");
}

Descriptor open_fifo(const std::string& path, int mode) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse("'" + path + "'", std::string("cannot be found (") + std::strerror(errno) + ")");
  if (!S_ISFIFO(status.st_mode)) refuse("'" + path + "'", "is not a FIFO");
  Descriptor file(open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() && errno == ENXIO) refuse("'" + path + "'", "is not read by a running perf");
  if (!file.is_open()) refuse("'" + path + "'", std::string("cannot be opened (") + std::strerror(errno) + ")");
  return file;
}

// libprofiler's, looked up at run time: ecbench is not linked with it.
struct StartOptions {
  int (*is_sampled)(void* argument);
  void* argument;
};
struct State {
  int enabled;
  std::time_t start_time;
  std::array<char, 1024> file_name;
  int samples;
};
using GetState = void (*)(State*);
using Start = int (*)(const char* file_name, const StartOptions*);
using Call = void (*)();

template <typename Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// Read by the profiler's signal handler, in the thread that it interrupts.
thread_local volatile int in_timed_loop = 0;

int is_in_timed_loop(void*) { return in_timed_loop; }

/// 1 for the library that valgrind loads into every process.
int is_of_valgrind(dl_phdr_info* info, std::size_t, void*) {
  return std::string_view(info->dlpi_name).find("/vgpreload_core-") != std::string_view::npos ? 1 : 0;
}

constexpr int failure = 1;
constexpr int not_announced = -1;

// No destructors: they may be read in a signal handler, or after destructors have run.
std::array<char, 128> blamed{};
std::array<char, 320> crash_line{};
pid_t watched_process = 0;
volatile std::sig_atomic_t announced = not_announced;
int verdict_pipe = -1;  // connected to the parent process, which waits for this process

/// cli/main.cc replaces _exit() by a function that calls this one.
[[noreturn]] void exit_by_system_call(int exit_code) {
  for (;;) syscall(SYS_exit_group, exit_code);
}

/// Signal handlers may call it.
void write_line(const char* line) { [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, line, std::strlen(line)); }

void write_end(int exit_code) {
  std::array<char, 512> line{};
  std::snprintf(line.data(), line.size(),
                "ecbench: plugin %s, or a library that it uses, ended the process with exit code %d: there is no result; a plugin "
                "must throw an exception instead\n",
                blamed.data(), exit_code);
  write_line(line.data());
}

/// False in a process that a plugin forked.
bool is_watched() { return getpid() == watched_process; }

void refuse_end(int exit_code) {
  if (!is_watched() || announced != not_announced) return;
  write_end(exit_code);
  end_process(failure);
}

/// So that the parent gets the status of the child.
[[noreturn]] void die_by(int signal) {
  const rlimit no_second_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_second_core);
  std::signal(signal, SIG_DFL);
  raise(signal);
  exit_by_system_call(128 + signal);
}

[[noreturn]] void end_as(pid_t child, int verdicts) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) die_by(WTERMSIG(status));
  std::uint8_t verdict = failure;
  if (read(verdicts, &verdict, 1) != 1) write_end(WEXITSTATUS(status));
  exit_by_system_call(verdict);
}

bool under_valgrind = false;

/// Reads no byte of the next page, which may not be readable.
std::array<char, 32> bytes_at(const std::uint8_t* address) {
  constexpr std::uintptr_t page_bytes = 4096;
  constexpr std::uintptr_t wanted_bytes = 8;
  const std::uintptr_t to_page_end = page_bytes - reinterpret_cast<std::uintptr_t>(address) % page_bytes;
  std::array<char, 32> text{};
  for (std::uintptr_t i = 0; i < std::min(wanted_bytes, to_page_end); i++) {
    std::snprintf(text.data() + i * 3, 4, " %02x", address[i]);
  }
  return text;
}

// dladdr() and snprintf() are not safe in signal handlers, but the illegal instruction is in neither.
void explain(int signal, siginfo_t* information, void*) {
  if (!is_watched()) return static_cast<void>(raise(signal));
  const auto* address = static_cast<const std::uint8_t*>(information->si_addr);
  Dl_info object{};
  const char* name = "no object";
  std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address);
  const bool is_known = dladdr(address, &object) != 0 && object.dli_fname != nullptr;
  if (is_known) {
    const char* slash = std::strrchr(object.dli_fname, '/');
    name = slash == nullptr ? object.dli_fname : slash + 1;
    offset -= reinterpret_cast<std::uintptr_t>(object.dli_fbase);
  }
  std::array<char, 512> line{};
  std::snprintf(line.data(), line.size(), "ecbench: illegal instruction%s in %s+0x%jx: %s\n",
                is_known ? bytes_at(address).data() : "", name, static_cast<std::uintmax_t>(offset),
                under_valgrind
                    ? "valgrind does not support it, even if the CPU does; use perf or pprof instead, or give another --dispatch"
                    : "this CPU does not support it; give another --dispatch, or build that library for this CPU");
  write_line(line.data());
  end_process(failure);
}

void explain_crash(int signal, siginfo_t*, void*) {
  if (is_watched() && announced == not_announced) write_line(crash_line.data());
  raise(signal);
}

}  // namespace

std::unique_ptr<PerfControl> PerfControl::asked_for() {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return nullptr;
  const std::string text = value;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) refuse("'" + text + "'", "is not allowed");
  return std::make_unique<PerfControl>(text.substr(0, comma), text.substr(comma + 1));
}

PerfControl::PerfControl(const std::string& control, const std::string& acknowledge)
    : control_(open_fifo(control, O_WRONLY)), acknowledge_(open_fifo(acknowledge, O_RDONLY)) {}

void PerfControl::tell(const std::string& command) const {
  const std::string line = command + "\n";
  if (write(control_.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error("perf does not accept the command " + command + ": " + std::strerror(errno));
  }
  pollfd answer{.fd = acknowledge_.number(), .events = POLLIN, .revents = 0};
  std::array<char, 64> text{};
  if (poll(&answer, 1, patience_ms) != 1 || read(acknowledge_.number(), text.data(), text.size()) <= 0) {
    throw Error("perf did not acknowledge the command " + command);
  }
}

std::unique_ptr<SamplingFilter> SamplingFilter::of_running_profiler(int threads) {
  const auto get_state = find<GetState>("ProfilerGetCurrentState");
  const auto start = find<Start>("ProfilerStartWithOptions");
  const auto stop = find<Call>("ProfilerStop");
  if (get_state == nullptr || start == nullptr || stop == nullptr) return nullptr;
  State state{};
  get_state(&state);
  if (state.enabled == 0) return nullptr;
  const std::string file_name = state.file_name.data();
  const StartOptions options{.is_sampled = is_in_timed_loop, .argument = nullptr};
  stop();
  if (start(file_name.c_str(), &options) == 0) {
    throw Error("libprofiler could not be restarted with the file " + file_name + ": set CPUPROFILE to a file that can be written");
  }
  return std::unique_ptr<SamplingFilter>(new SamplingFilter(threads));
}

// This thread only waits if others run the loops; without blocked signals, Linux could deliver those of a wall clock timer to it.
SamplingFilter::SamplingFilter(int threads) : masked_(threads > 1) {
  if (!masked_) return;
  sigset_t ticks;
  sigemptyset(&ticks);
  sigaddset(&ticks, SIGPROF);
  sigaddset(&ticks, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &ticks, &mask_before_);
}

SamplingFilter::~SamplingFilter() {
  if (masked_) pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SamplingFilter::enter() {
  // With a timer for each thread, a thread has none until it is registered.
  static const Call register_thread = find<Call>("ProfilerRegisterThread");
  static thread_local bool registered = false;
  if (!registered && register_thread != nullptr) register_thread();
  registered = true;
  in_timed_loop = 1;
}

void SamplingFilter::leave() { in_timed_loop = 0; }

bool runs_under_valgrind() {
  static const bool found = dl_iterate_phdr(is_of_valgrind, nullptr) != 0;
  return found;
}

bool has_client_requests() { return ECBENCH_CLIENT_REQUESTS != 0; }

Profilers::Profilers(int threads)
    : valgrind_(runs_under_valgrind()), filter_(SamplingFilter::of_running_profiler(threads)), perf_(PerfControl::asked_for()) {
  watched_ = valgrind_ || filter_ != nullptr;
  if (!valgrind_) return;
  // The order matters: with instrumentation on during CALLGRIND_ZERO_STATS, callgrind 3.19 prints a negative summary.
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void Profilers::enter() {
  if (filter_) filter_->enter();
  if (valgrind_ && loops_.fetch_add(1) == 0) {
    CALLGRIND_START_INSTRUMENTATION;  // no toggle: its effect depends on how valgrind was started
  }
}

void Profilers::leave() {
  if (valgrind_ && loops_.fetch_sub(1) == 1) {
    CALLGRIND_STOP_INSTRUMENTATION;
  }
  if (filter_) filter_->leave();
}

void watch_process_end() {
  watched_process = getpid();
  on_exit(
      [](int exit_code, void*) {
        std::cout.flush();  // std::cout may still contain output of --list or --describe
        refuse_end(exit_code);
      },
      nullptr);
}

void blame_for_process_end(const std::string& plugin, const std::string& workload) {
  std::snprintf(blamed.data(), blamed.size(), "%s", plugin.c_str());
  std::snprintf(crash_line.data(), crash_line.size(), "ecbench: plugin %s, or a library that it uses, crashed%s%s\n", blamed.data(),
                workload.empty() ? "" : " in workload ", workload.c_str());
}

std::string blamed_plugin() { return blamed[0] == '\0' ? "the plugin" : std::string("plugin ") + blamed.data(); }

void continue_in_child() {
  if (verdict_pipe >= 0 || runs_under_valgrind()) return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(std::string("a pipe cannot be created: ") + std::strerror(errno));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("a process for the plugin cannot be created: ") + std::strerror(errno));
  if (child > 0) {
    close(ends[1]);
    end_as(child, ends[0]);
  }
  close(ends[0]);
  verdict_pipe = ends[1];
  watched_process = getpid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) exit_by_system_call(failure);
}

void announce_end(int exit_code) {
  if (announced != not_announced) return;
  announced = exit_code;
  if (verdict_pipe < 0) return;
  const auto verdict = static_cast<std::uint8_t>(exit_code);
  [[maybe_unused]] const ssize_t ignored = write(verdict_pipe, &verdict, 1);
}

void end_process(int exit_code) {
  announce_end(exit_code);
  exit_by_system_call(exit_code);
}

void end_without_cleaning_up(int exit_code) {
  refuse_end(exit_code);
  exit_by_system_call(is_watched() ? announced : exit_code);
}

void explain_crashes() {
  under_valgrind = runs_under_valgrind();
  struct sigaction action {};
  action.sa_sigaction = explain;
  // SA_RESETHAND: raise() in a handler ends the process. SA_ONSTACK: a goroutine's stack is too small.
  action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK;
  sigaction(SIGILL, &action, nullptr);
  action.sa_sigaction = explain_crash;
  struct sigaction other {};  // of a sanitizer
  for (const int crash : {SIGABRT, SIGBUS, SIGFPE, SIGSEGV})
    if (sigaction(crash, nullptr, &other) == 0 && other.sa_handler == SIG_DFL) sigaction(crash, &action, nullptr);
}

}  // namespace ecbench
