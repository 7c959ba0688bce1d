#include "benchmark/warnings/remarks.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <set>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/sampling/samples.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

// Busy: a load average above both 0.5 per CPU and 1.25 per thread of ecbench. In a series, ecbench's own threads raise it to their
// number, and the programs that start it also need CPU time.
constexpr double busy_load_per_cpu = 0.5;
constexpr double own_load_per_thread = 1.25;
constexpr double steal_limit_percent = 1;

std::string number(double value, int decimals) {
  std::string text(64, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", decimals, value)));
  return text;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void check_builds(const Environment& environment, Remarks& reasons) {
  const BuildInfo& build = environment.build;
  if (!build.optimised) {
    reasons.push_back({"unoptimised_build", "ecbench is a " + (build.build_type.empty() ? "" : build.build_type + " ") +
                                                "build without optimisation: build it with CMAKE_BUILD_TYPE=Release"});
  }
  if (build.sanitized) {
    reasons.push_back({"sanitizer_build", "ecbench is built with a sanitizer: build it without sanitizers (-DECBENCH_SANITIZE=)"});
  }
}

void check_machine(const Environment& environment, Remarks& reasons) {
  const std::size_t cpu_count = environment.cpu.online.size();
  const double busy = std::max(busy_load_per_cpu * static_cast<double>(cpu_count), own_load_per_thread * environment.threads);
  if (const auto& load = environment.system.load_average; load && cpu_count > 0 && load->front() > busy) {
    reasons.push_back({"load_average", "the load average is " + number(load->front(), 2) + " on " + counted(cpu_count, "CPU") +
                                           ": stop other programs, or wait a minute if they have ended"});
  }
  if (const auto& process = environment.system.other_measurement) {
    reasons.push_back({"other_measurement", "process " + std::to_string(*process) +
                                                " measures on this machine: wait until it has ended, because two measurements "
                                                "disturb each other"});
  }
  if (const auto& governor = environment.cpu.governor; governor && *governor != "performance") {
    reasons.push_back({"frequency_governor",
                       "the frequency governor is " + *governor + ": choose performance (cpupower frequency-set -g performance)"});
  }
}

/// A thread that moves to another CPU loses its cache; threads that share a CPU are slower.
void check_placement(const Environment& environment, Remarks& reasons) {
  const bool pinned = !environment.pinned_cpus.empty();
  const std::vector<int>& cpus = pinned ? environment.pinned_cpus : environment.system.allowed_cpus;
  const std::size_t cpu_count = std::set<int>(cpus.begin(), cpus.end()).size();
  const auto threads = static_cast<std::size_t>(environment.threads);
  if (!pinned && cpu_count > threads) {
    reasons.push_back({"not_pinned", counted(threads, "thread") + " may move between " + counted(cpu_count, "CPU") + ": pin to " +
                                         std::to_string(threads) + " of them (--cpu LIST, or taskset -c LIST)"});
  }
  if (cpu_count > 0 && cpu_count < threads) {
    reasons.push_back({"shared_cpus", counted(threads, "thread") + " share " + counted(cpu_count, "CPU") +
                                          ": use fewer threads, or give more CPUs"});
  }
}

void check_interference(const Environment& environment, Remarks& reasons) {
  const auto& quota = environment.cgroup.quota_cpus;
  if (quota && *quota < environment.threads) {
    reasons.push_back({"cpu_quota", "the control group's quota is " + number(*quota, 2) + " CPUs for " +
                                        counted(static_cast<std::size_t>(environment.threads), "thread") +
                                        ": raise the quota (cpu.max; for a container, --cpus), or run outside the control group"});
  }
  if (!environment.during_run) return;
  const Interference& run = *environment.during_run;
  if (run.throttled_seconds.value_or(0) > 0) {
    reasons.push_back({"throttled", "the control group was throttled for " + number(*run.throttled_seconds, 6) +
                                        " s during the run: raise its CPU quota, or stop other programs in this group"});
  }
  if (run.steal_percent.value_or(0) - run.tick_percent > steal_limit_percent) {
    reasons.push_back(
        {"steal", "the hypervisor gave " + number(*run.steal_percent, 1) +
                      " % of the CPUs' time to other virtual machines during the run: measure again, or use a dedicated machine"});
  }
}

struct KernelRule {
  const char* function;
  const char* instructions;
  const char* first_release;
  std::array<const char*, 3> flags;  ///< flags in /proc/cpuinfo; the CPU can run the kernel if it has all of them
};

/// Missing in older releases of ISA-L; the fastest is first.
constexpr std::array rules{
    KernelRule{"ec_encode_data_avx512_gfni", "GFNI and AVX-512", "2.31", {"gfni", "avx512bw", "avx512vl"}},
    KernelRule{"ec_encode_data_avx2_gfni", "GFNI and AVX2", "2.31", {"gfni", "avx2", "avx2"}},
    KernelRule{"ec_encode_data_avx512", "AVX-512", "2.15", {"avx512f", "avx512bw", "avx512vl"}},
};

bool contains(std::span<const std::string> words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

constexpr double notable_drift = 0.03;
constexpr unsigned vector_bytes = 16;  // of the smallest vectors
constexpr double notable_threads_sum = 1.1;
constexpr double notable_plan = 0.05;  // time of the decode plan / time of a call
constexpr const char* reset_advice =
    "; the speed tests (probes) were slower in this run than in earlier runs: stop other programs; if no other programs run, "
    "remove the file ecbench/probe in $XDG_STATE_HOME (default ~/.local/state), because the stored speed of earlier runs is wrong";

std::string disturbances(const std::vector<Sample>& samples) {
  const std::array causes{
      std::pair{Disturbance::cpu_taken, "a thread waited for its CPU"},
      std::pair{Disturbance::core_shared, "another hardware thread used the same core"},
      std::pair{Disturbance::memory_busy, "other programs used the memory"},
  };
  std::string text;
  for (const auto& [cause, words] : causes) {
    const auto count = std::ranges::count(samples, cause, &Sample::disturbance);
    const char* const samples_text = count == 1 ? " sample" : " samples";
    if (count > 0) text += (text.empty() ? "" : ", ") + std::string(words) + " in " + std::to_string(count) + samples_text;
  }
  return text;
}

/// Then at least half of the probes are slow: the result is a median or an upper quartile.
bool is_below_reference(const Measurement& measurement) {
  const Sample best{.probe = measurement.undisturbed};
  return disturbance_of(best, measurement.reference) != Disturbance::none;
}

Remark few_clean_samples(const Measurement& measurement) {
  const std::vector<Sample>& samples = measurement.samples;
  const std::string count = std::to_string(clean_count(samples)) + " of " + std::to_string(samples.size());
  const bool one_interval = measurement.point.iterations > 0;
  return {"few_clean_samples", "too few samples are undisturbed, only " + count + " (disturbances: " + disturbances(samples) +
                                   "), so the figure comes from all samples: stop other programs and measure again" +
                                   (one_interval ? ", or give --min-time instead of --iterations, so that ecbench takes samples"
                                                 : ", or raise --max-time") +
                                   (is_below_reference(measurement) ? reset_advice : "")};
}

/// Its beginning is the line of a whole run in Python's summary.py.
Remark core_shared(const Measurement& measurement) {
  const double best = std::max(measurement.reference.throughput, measurement.undisturbed.throughput);
  const int percent = static_cast<int>(std::lround((1 - measurement.shared_core.throughput / best) * 100));
  return {"core_shared", "another hardware thread shares the core; figures are about " + std::to_string(percent) +
                             " % below the best seen here" + reset_advice};
}

void check_samples(const Measurement& measurement, const Summary& summary, Remarks& warnings) {
  if (!enough_clean(measurement.samples)) {
    warnings.push_back(few_clean_samples(measurement));
  } else if (measurement.shared_core.is_state()) {
    warnings.push_back(core_shared(measurement));
  }
  if (std::abs(summary.drift) > notable_drift) {
    warnings.push_back({"drift", "the speed drifted by " + number(summary.drift * 100, 1) +
                                     " % within the run: stop other programs and measure again"});
  }
  const Point& point = measurement.point;
  const std::optional<double> target = point.sampling.target_percent;
  if (target && point.iterations == 0 && summary.ci_percent() > *target) {
    warnings.push_back({"wide_interval", "the confidence interval is ±" + number(summary.ci_percent(), 1) +
                                             " %, but --target-ci is ±" + number(*target, 1) +
                                             " %: the measurement ended after --max-time; raise --max-time"});
  }
  if (measurement.paced && measurement.paced->unfinished() > 0) {
    warnings.push_back({"pace_not_kept", std::to_string(measurement.paced->unfinished()) + " of " +
                                             std::to_string(measurement.paced->latency_ns.size()) +
                                             " operations did not start before the measurement ended, so the percentiles are "
                                             "lower bounds: give a lower --pace"});
  }
  const double threads_sum = std::accumulate(summary.thread_gb_per_s.begin(), summary.thread_gb_per_s.end(), 0.0);
  if (point.threads > 1 && threads_sum > notable_threads_sum * summary.gb_per_s) {
    warnings.push_back({"threads_not_parallel",
                        "the threads did not run at the same time: use fewer threads, or stop other programs that use these CPUs"});
  }
}

/// The run may have been disturbed, but the figure need not be wrong.
bool is_only_a_note(const Remark& reason, const Measurement& measurement) {
  // A mean over the last minute; enough clean samples show that other programs have not changed the figure.
  if (reason.code == "load_average") return enough_clean(measurement.samples);
  return reason.code == "not_pinned" || reason.code == "frequency_governor";
}

bool lacks_reference(const Measurement& measurement) {
  const Sample& sample = measurement.samples.front();
  const ProbeSpeed& reference = measurement.reference;
  return (sample.probe.throughput > 0 && reference.throughput == 0) || (sample.probe.memory > 0 && reference.memory == 0);
}

Remark slow_plan(double plan_ns, double call_ns) {
  return {"slow_plan", "the figures do not include the time to make a decode plan, " + number(plan_ns, 1) + " ns; this is " +
                           number(plan_ns / call_ns * 100, 1) + " % of the time of a call (" + number(call_ns, 1) + " ns)"};
}

}  // namespace

std::string joined_texts(const Remarks& remarks) {
  std::string joined;
  for (const Remark& remark : remarks) joined += (joined.empty() ? "" : "; ") + remark.text;
  return joined;
}

Remarks unfit(const Environment& environment) {
  Remarks reasons;
  check_builds(environment, reasons);
  check_machine(environment, reasons);
  check_placement(environment, reasons);
  check_interference(environment, reasons);
  return reasons;
}

void require_fit(const Environment& environment) {
  const Remarks reasons = unfit(environment);
  if (!reasons.empty()) throw Error("--strict: this machine is not fit for measurements: " + joined_texts(reasons));
}

std::optional<LibrarySymbols> loaded_isal() {
  for (const SharedObject& object : codec_objects()) {
    if (!object.name.starts_with("libisal.so")) continue;
    LibrarySymbols isal{.name = std::filesystem::path(object.path).filename().string(), .functions = {}};
    void* const library = dlopen(object.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) return std::nullopt;
    for (const KernelRule& rule : rules) {
      if (dlsym(library, rule.function) != nullptr) isal.functions.emplace_back(rule.function);
    }
    dlclose(library);
    return isal;
  }
  return std::nullopt;
}

std::optional<Remark> missing_kernels(const LibrarySymbols& isal, const std::string& kernel, const std::string& dispatch,
                                      std::span<const std::string> cpu_flags) {
  if (dispatch != native_dispatch || kernel.find("ec_encode_data") == std::string::npos) return std::nullopt;
  for (const KernelRule& rule : rules) {
    if (!std::ranges::all_of(rule.flags, [&](const char* flag) { return contains(cpu_flags, flag); })) continue;
    if (contains(isal.functions, rule.function)) return std::nullopt;
    return Remark{"library_lacks_kernels", isal.name + " has no kernels that use " + rule.instructions +
                                               ", but this CPU has these instructions; ISA-L " + rule.first_release +
                                               " and later have such kernels: run scripts/fetch-isal.sh 2.32 DIR and give "
                                               "--codec-lib DIR"};
  }
  return std::nullopt;
}

FigureRemarks figure_remarks(const Measurement& measurement, const Summary& summary, const Environment& environment,
                             bool reference_is_stored) {
  FigureRemarks remarks;
  check_samples(measurement, summary, remarks.warnings);
  for (Remark& reason : unfit(environment)) {
    (is_only_a_note(reason, measurement) ? remarks.notes : remarks.warnings).push_back(std::move(reason));
  }
  if (lacks_reference(measurement)) {
    remarks.notes.push_back({"no_reference", std::string("no earlier run on this machine is stored, so ecbench cannot detect "
                                                         "other programs that used the core or the memory during the whole run") +
                                                 (reference_is_stored ? "; the next run will be compared with this one" : "")});
  }
  if (environment.fake) remarks.notes.push_back({"fake", "the times are invented, by a program of ecbench's tests"});
  const std::string packetsize = measurement.point.profile.text("packetsize");
  if (std::strtoull(packetsize.c_str(), nullptr, 10) % vector_bytes != 0) {
    remarks.notes.push_back(
        {"odd_packetsize", "packetsize=" + packetsize + " is not a multiple of " + std::to_string(vector_bytes) +
                               ", so no packet is processed in whole vectors: give a multiple of " + std::to_string(vector_bytes)});
  }
  const std::optional<double>& plan = measurement.plan_ns;
  if (plan && *plan > notable_plan * summary.ns_per_op) remarks.notes.push_back(slow_plan(*plan, summary.ns_per_op));
  return remarks;
}

}  // namespace ecbench
