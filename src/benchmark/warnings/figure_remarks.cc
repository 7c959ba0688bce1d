#include "benchmark/warnings/figure_remarks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "benchmark/sampling/clean_samples.h"
#include "benchmark/warnings/fitness.h"

namespace ecbench {
namespace {

constexpr double notable_drift = 0.03;
constexpr unsigned vector_bytes = 16;  // of the smallest vectors
constexpr double notable_threads_sum = 1.1;
constexpr double notable_plan = 0.05;  // time of the decode plan / time of a call
constexpr const char* reset_advice =
    "; the speed tests (probes) were slower in this run than in earlier runs: stop other programs; if no other programs run, "
    "remove the file ecbench/probe in $XDG_STATE_HOME (default ~/.local/state), because the stored speed of earlier runs is wrong";

std::string decimal(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

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
  const int percent = static_cast<int>(std::lround((1 - measurement.state_throughput / best) * 100));
  return {"core_shared", "another hardware thread shares the core; figures are about " + std::to_string(percent) +
                             " % below the best seen here" + reset_advice};
}

void check_samples(const Measurement& measurement, const Summary& summary, Remarks& warnings) {
  if (!enough_clean(measurement.samples)) {
    warnings.push_back(few_clean_samples(measurement));
  } else if (measurement.state_throughput > 0) {
    warnings.push_back(core_shared(measurement));
  }
  if (std::abs(summary.drift) > notable_drift) {
    warnings.push_back({"drift", "the speed drifted by " + decimal(summary.drift * 100) +
                                     " % within the run: stop other programs and measure again"});
  }
  const Point& point = measurement.point;
  const std::optional<double> target = point.sampling.target_percent;
  if (target && point.iterations == 0 && summary.ci_percent() > *target) {
    warnings.push_back({"wide_interval", "the confidence interval is ±" + decimal(summary.ci_percent()) +
                                             " %, but --target-ci is ±" + decimal(*target) +
                                             " %: the measurement ended after --max-time; raise --max-time"});
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
  return {"slow_plan", "the figures do not include the time to make a decode plan, " + decimal(plan_ns) + " ns; this is " +
                           decimal(plan_ns / call_ns * 100) + " % of the time of a call (" + decimal(call_ns) + " ns)"};
}

}  // namespace

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
