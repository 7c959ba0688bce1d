#include "benchmark/profiling/sampling_filter.h"

#include <dlfcn.h>

#include <array>
#include <ctime>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

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

}  // namespace

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

}  // namespace ecbench
