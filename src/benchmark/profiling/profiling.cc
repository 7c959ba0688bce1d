#include "benchmark/profiling/profiling.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
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

int open_fifo(const std::string& path, int mode) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse("'" + path + "'", std::string("cannot be found (") + std::strerror(errno) + ")");
  if (!S_ISFIFO(status.st_mode)) refuse("'" + path + "'", "is not a FIFO");
  const int file = open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENXIO) refuse("'" + path + "'", "is not read by a running perf");
  if (file < 0) refuse("'" + path + "'", std::string("cannot be opened (") + std::strerror(errno) + ")");
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

int is_in_timed_loop(void*) {
  return in_timed_loop;
}

/// 1 for the library that valgrind loads into every process.
int is_of_valgrind(dl_phdr_info* info, std::size_t, void*) {
  return std::string_view(info->dlpi_name).find("/vgpreload_core-") != std::string_view::npos ? 1 : 0;
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

PerfControl::PerfControl(const std::string& control, const std::string& acknowledge) : control_(open_fifo(control, O_WRONLY)) {
  try {
    acknowledge_ = open_fifo(acknowledge, O_RDONLY);
  } catch (...) {
    close(control_);
    throw;
  }
}

PerfControl::~PerfControl() {
  close(control_);
  close(acknowledge_);
}

void PerfControl::tell(const std::string& command) const {
  const std::string line = command + "\n";
  if (write(control_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Error("perf does not accept the command " + command + ": " + std::strerror(errno));
  }
  pollfd answer{.fd = acknowledge_, .events = POLLIN, .revents = 0};
  std::array<char, 64> text{};
  if (poll(&answer, 1, patience_ms) != 1 || read(acknowledge_, text.data(), text.size()) <= 0) {
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

void SamplingFilter::leave() {
  in_timed_loop = 0;
}

bool runs_under_valgrind() {
  static const bool found = dl_iterate_phdr(is_of_valgrind, nullptr) != 0;
  return found;
}

bool has_client_requests() {
  return ECBENCH_CLIENT_REQUESTS != 0;
}

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

}  // namespace ecbench
