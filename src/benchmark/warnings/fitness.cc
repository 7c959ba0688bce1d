#include "benchmark/warnings/fitness.h"

#include <algorithm>
#include <cstdio>
#include <set>

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

}  // namespace ecbench
