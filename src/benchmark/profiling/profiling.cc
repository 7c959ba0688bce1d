#include "benchmark/profiling/profiling.h"

#include <link.h>

#include <string_view>

#include "benchmark/profiling/client_requests.h"

#if ECBENCH_CLIENT_REQUESTS
#include <valgrind/callgrind.h>
#endif

namespace ecbench {
namespace {

/// 1 for the library that valgrind loads into every process.
int is_of_valgrind(dl_phdr_info* info, std::size_t, void*) {
  return std::string_view(info->dlpi_name).find("/vgpreload_core-") != std::string_view::npos ? 1 : 0;
}

// The order matters: with instrumentation on during CALLGRIND_ZERO_STATS, callgrind 3.19 prints a negative summary.
void empty_callgrind() {
#if ECBENCH_CLIENT_REQUESTS
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
#endif
}

// No toggle: its effect depends on how valgrind was started.
void start_callgrind() {
#if ECBENCH_CLIENT_REQUESTS
  CALLGRIND_START_INSTRUMENTATION;
#endif
}

void stop_callgrind() {
#if ECBENCH_CLIENT_REQUESTS
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

}  // namespace

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
  if (valgrind_) empty_callgrind();
}

void Profilers::enter() {
  if (filter_) filter_->enter();
  if (valgrind_ && loops_.fetch_add(1) == 0) start_callgrind();
}

void Profilers::leave() {
  if (valgrind_ && loops_.fetch_sub(1) == 1) stop_callgrind();
  if (filter_) filter_->leave();
}

}  // namespace ecbench
