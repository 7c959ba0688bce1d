// The columns with what was measured.
#include <cstdlib>
#include <set>

#include "benchmark/sampling/samples.h"
#include "report/columns.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

const Json signed_number{{"type", "number"}};

bool has_interval(const Row& row) { return row.summary.ci_confidence > 0; }

bool has_limit(const Row& row) { return !row.measurement.limit_seconds.empty(); }

std::size_t placements(const Row& row) {
  std::set<int> found;
  for (const Sample& sample : counted_samples(row.measurement.samples)) found.insert(sample.placement);
  return found.size();
}

/// With ~ in place of the home directory.
std::string shared_command(const Row& row) {
  const char* home = std::getenv("HOME");
  return without_home(row.command, home == nullptr ? "" : home);
}

Json latency(const Row& row, int per_mille) {
  const std::optional<Paced>& paced = row.measurement.paced;
  const std::optional<std::int64_t> ns = paced ? paced->percentile_ns(per_mille) : std::nullopt;
  return known(ns.has_value(), static_cast<double>(ns.value_or(0)) / 1e3);
}

Json remarks() { return list_of(object_of({{"code", {{"type", "string"}, {"pattern", "^[a-z0-9_]+$"}}}, {"text", text(1)}})); }

Json sample_list() {
  Json list = list_of(object_of(
      {{"placement", described("Number of the buffer placement; the first placement has the number 0.", whole())},
       {"seconds", described("Wall clock time of the sample in seconds: from the common start of the threads to the end of the "
                             "last thread.",
                             amount())},
       {"cpu_seconds", described("CPU time of all threads together in seconds.", amount())},
       {"clean", described("True if the sample is clean.", {{"type", "boolean"}})}}));
  list["minItems"] = 1;
  return list;
}

Json samples_json(const std::vector<Sample>& samples) {
  Json list = Json::array();
  for (const Sample& sample : samples) {
    list.push_back({{"placement", sample.placement},
                    {"seconds", sample.seconds},
                    {"cpu_seconds", sample.cpu_seconds},
                    {"clean", sample.disturbance == Disturbance::none}});
  }
  return list;
}

}  // namespace

std::vector<Column> figure_columns() {
  return {
      {"iterations", whole(1),
       "Number of iterations in the samples from which the figures are computed, in all threads together. If erasures_generation "
       "is exhaustive, one iteration of decode uses all erasure patterns.",
       [](const Row& row) -> Json { return row.summary.iterations; }, always(7, "iter.")},
      {"seconds", amount(),
       "Wall clock time in seconds of the samples from which the figures are computed. These are the clean samples, or all samples "
       "if too few samples are clean.",
       [](const Row& row) -> Json { return row.summary.seconds; }, always(1, "seconds", 6)},
      {"kb", whole(),
       "The number of KiB that Ceph's tool prints: iterations * size of the object in KiB (rounded down). An iteration counts "
       "once, even if it uses several erasure patterns. For overwrite, only the changed bytes count.",
       [](const Row& row) -> Json { return kb(row.measurement, row.summary.iterations); },
       always(2, "KB", 0, "iterations × ⌊size / 1024⌋, as in Ceph's tool")},
      {"gb_per_s", amount(),
       "The speed in 10^9 bytes of the object per second, for all threads together. For overwrite, only the changed bytes count. "
       "The speed is computed in two steps: the median of the samples of each placement, then the median of these medians.",
       [](const Row& row) -> Json { return row.summary.gb_per_s; },
       always(13, "GB/s", 3, "10^9 bytes of the object per second, without padding (median); `!`: the figure has a warning")},
      {"rebuilt_gb_per_s", nullable(amount()),
       "Only for repair: the speed in 10^9 bytes of the lost chunk (with padding) per second, computed from the same median as "
       "gb_per_s. null for other workloads.",
       [](const Row& row) -> Json { return known(repairs(row), row.summary.rebuilt_gb_per_s); },
       if_known(17, "rebuilt GB/s", 3, "repair: 10^9 bytes of the lost chunk per second")},
      {"ns_per_op", amount(),
       "Wall clock time in nanoseconds of one operation on an object in one thread, computed from the same median as gb_per_s.",
       [](const Row& row) -> Json { return row.summary.ns_per_op; }},
      {"minimum_ns_per_op", amount(), "Wall clock time in nanoseconds of one operation on an object in the fastest sample.",
       [](const Row& row) -> Json { return row.summary.minimum_ns_per_op; }},
      {"call_overhead_ns", nullable(amount()),
       "Time of an empty call in nanoseconds: a call through the plugin interface that does no work. It is measured in one thread "
       "after the samples, as the median of several batches of calls. Every call of the code includes this time, and therefore "
       "ns_per_op includes it. If the code is in another language, this is the time for the call into that language and the "
       "return. For a code in C++, it is about the time of a virtual call. null for the workloads limit and memcpy, and under "
       "valgrind.",
       [](const Row& row) -> Json { return known(row.measurement.call_overhead_ns); }},
      {"plan_ns", nullable(amount()),
       "Time in nanoseconds to make one decode plan (inverse matrix, tables, schedule) and to free it. It is measured in one "
       "thread after the samples, in batches. A batch makes the plans of all erasure patterns, but of at most 64 patterns. The "
       "mean time per plan is computed for each batch, and plan_ns is the median of these means. ns_per_op includes the time to "
       "make plans only if timing is api and Ceph's plugin makes a plan for each call. null if the operation uses no plan, and "
       "under valgrind.",
       [](const Row& row) -> Json { return known(row.measurement.plan_ns); }},
      {"p50", nullable(amount()),
       "Median latency of an operation in microseconds, from the time when it was due to its end. null without --pace, and for "
       "fewer than 20 operations.",
       [](const Row& row) { return latency(row, 500); },
       if_known(26, "p50 µs", 1, "with `--pace`: latency that 50 % of the operations do not exceed; also p95, p99")},
      {"p95", nullable(amount()),
       "95 % of the operations have at most this latency, in microseconds. null for fewer than 200 operations.",
       [](const Row& row) { return latency(row, 950); }, if_known(27, "p95 µs", 1)},
      {"p99", nullable(amount()),
       "99 % of the operations have at most this latency, in microseconds. null for fewer than 1000 operations.",
       [](const Row& row) { return latency(row, 990); }, if_known(28, "p99 µs", 1)},
      {"background_gb_per_s", nullable(amount()),
       "Speed of the background in 10^9 bytes per second; if it was repair, of rebuilt chunks, otherwise counted as gb_per_s. null "
       "without --background.",
       [](const Row& row) -> Json {
         const std::optional<double>& bytes = row.measurement.background_bytes_per_s;
         return known(bytes.has_value(), bytes.value_or(0) / 1e9);
       },
       if_known(29, "background GB/s", 3)},
      {"objects_per_s", amount(), "Objects per second in all threads together, computed from the same median as gb_per_s.",
       [](const Row& row) -> Json { return row.summary.objects_per_s; }},
      {"thread_gb_per_s", list_of(amount()), "GB/s of each thread in the samples from which the figures are computed.",
       [](const Row& row) -> Json { return row.summary.thread_gb_per_s; }},
      {"cpu_seconds", amount(), "CPU time in seconds of all threads together, in the samples from which the figures are computed.",
       [](const Row& row) -> Json { return row.summary.cpu_seconds; }},
      {"cpu_seconds_per_gb", amount(), "CPU seconds per 10^9 bytes of the object.",
       [](const Row& row) -> Json { return row.summary.cpu_seconds_per_gb; },
       always(16, "CPU s/GB", 4, "CPU seconds per 10^9 bytes of the object")},
      {"crc32c_cpu_seconds_per_gb", nullable(amount()),
       "Only for encode: CPU seconds per 10^9 bytes of the object for the CRC32C of all chunks, which an OSD computes when it "
       "writes them, in blocks of 4 KiB. Measured with ISA-L's kernel in one thread after the samples. null if ISA-L is missing, "
       "and under valgrind.",
       [](const Row& row) -> Json { return known(row.measurement.crc32c_seconds_per_gb); }},
      {"ci_low", nullable(signed_number),
       "Lower end of the 95 % confidence interval of gb_per_s in GB/s, widened by the noise floor; null if there is only one "
       "sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.ci_low); }},
      {"ci_high", nullable(signed_number), "Upper end of the same interval in GB/s; null if there is only one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.ci_high); }},
      {"ci_percent", nullable(amount()),
       "Half the width of this interval, in percent of gb_per_s. Tables show it in the column ±%. null if there is only one "
       "sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.ci_percent()); },
       always(14, "±%", 1,
              "half the width of the 95 % confidence interval, in percent. The interval can be asymmetric: `ci_low`, `ci_high`")},
      {"ci_confidence_percent", Json::parse(R"({"type": ["number", "null"], "minimum": 0, "maximum": 100})"),
       "The actual confidence of the interval in percent, before the interval was widened. The ends of the interval are order "
       "statistics, so the confidence can have only certain values. If there are few placements, it can be less than 95. null if "
       "there is only one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.ci_confidence * 100); }},
      {"drift_floor_percent", nullable(amount()),
       "The noise floor in percent of gb_per_s. Both ends of the interval were widened by it, because repeated runs differ. null "
       "if there is only one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.measurement.point.sampling.drift_floor_percent); }},
      {"drift_percent", Json::parse(R"({"type": ["number", "null"], "minimum": -100})"),
       "By how many percent the last third of the samples was faster than the first third. Negative: the last third was slower. "
       "null if there is only one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.drift * 100); }},
      {"mad_percent", nullable(amount()),
       "Median absolute deviation of the sample times, in percent of their median; null if there is only one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.mad_percent); }},
      {"outliers", nullable(whole()),
       "Number of samples whose time differs from the median by more than 14.826 median absolute deviations; null if there is only "
       "one sample.",
       [](const Row& row) -> Json { return known(has_interval(row), row.summary.outliers); }},
      {"sample_count", whole(1), "Number of samples.", [](const Row& row) -> Json { return row.measurement.samples.size(); }},
      {"clean_samples", whole(),
       "Number of samples that were not disturbed by other programs. In a clean sample, every thread had its CPU for at least 98 % "
       "of the time, and the probes (short speed tests) before and after the sample were not slow. A probe is slow if another "
       "hardware thread uses the same core. If cache is cold, a probe is also slow if other programs use the memory. If there are "
       "enough clean samples, the figures are computed only from them. Otherwise the figures are computed from all samples, and "
       "the row has the warning few_clean_samples.",
       [](const Row& row) -> Json { return clean_count(row.measurement.samples); }},
      {"placements", whole(1), "Number of buffer placements in the samples from which the figures are computed.",
       [](const Row& row) -> Json { return placements(row); }},
      {"placement_spread_percent", nullable(amount()),
       "By how many percent the fastest placement was faster than the slowest placement; null if there is only one placement.",
       [](const Row& row) -> Json { return known(placements(row) > 1, row.summary.placement_spread * 100); }},
      {"limit_gb_per_s", nullable(amount()),
       "The roofline in GB/s: the speed of a loop that reads and writes as many bytes as the operation, but computes only XORs. "
       "The loop uses chunks of the same number and size, in the same cache state. It is measured between the samples. null if it "
       "was not measured.",
       [](const Row& row) -> Json { return known(has_limit(row), row.summary.limit_gb_per_s); }},
      {"limit_percent", nullable(amount()), "100 * gb_per_s / limit_gb_per_s; null if the limit was not measured.",
       [](const Row& row) -> Json { return known(has_limit(row), row.summary.percent_of_limit); },
       always(15, "%limit", 1,
              "percent of the roofline; `-` if not measured (`--iterations`, `--limit no`, workloads limit and memcpy)")},
      {"limit_age_seconds", nullable(amount()),
       "If another process measured the limit (--limit-file): the time since then. null if this process measured the limit, or if "
       "it was not measured.",
       [](const Row& row) -> Json { return known(row.measurement.limit_age_seconds); }},
      {"instructions_per_iteration", nullable(amount()),
       "Number of instructions in one iteration of one thread, counted by --count-instructions (without valgrind). A REP string "
       "instruction counts as one instruction, and a system call also counts as one. null if instructions were not counted.",
       [](const Row& row) -> Json {
         return row.measurement.instructions ? Json(row.measurement.instructions->per_iteration()) : Json();
       },
       if_known(25, "instr./iter.", 1)},
      {"repetitions_per_iteration", nullable(amount()),
       "Number of repetitions of REP string instructions in one iteration. The first repetition of each instruction is not "
       "included, because instructions_per_iteration already counts it. null if instructions were not counted.",
       [](const Row& row) -> Json {
         return row.measurement.instructions ? Json(row.measurement.instructions->repetitions_per_iteration()) : Json();
       }},
      {"verified", Json{{"const", true}},
       "Always true: outside the timed loop, ecbench verified every byte of the last result of each object. If bytes are wrong, no "
       "row is printed.",
       [](const Row&) -> Json { return true; }},
      {"warnings", remarks(),
       "Reasons why the figures may be wrong; empty if there are none. In csv, the cell contains only the identifiers (code). "
       "pace_not_kept: some operations did not start before the measurement ended, so p50, p95 and p99 are lower bounds. "
       "few_clean_samples: too few samples are clean, so the figures are computed from all samples. core_shared: another hardware "
       "thread used the core all the time, so clean samples are those that are as fast as usual in this state. drift: the speed "
       "changed by more than 3 % during the run. wide_interval: the confidence interval is wider than --target-ci. "
       "threads_not_parallel: the threads did not run at the same time. load_average: the load average is high, and too few "
       "samples are clean. other_measurement: another mode measured on this machine. shared_cpus: there are fewer CPUs than "
       "threads. cpu_quota: the CPU quota of the control group is smaller than the number of threads. throttled: the control group "
       "was throttled during the run. steal: the hypervisor gave CPU time to other virtual machines during the run. "
       "unoptimised_build, sanitizer_build: ecbench was built without optimisation or with a sanitizer, so the code is slower.",
       [](const Row& row) -> Json { return remarks_json(row.warnings); }},
      {"notes", remarks(),
       "Other information. A note has the same form as a warning, but does not mean that the figures may be wrong. no_reference: "
       "no earlier run on this machine is stored, so ecbench cannot detect other programs that used the core or the memory during "
       "the whole run. odd_packetsize: the packetsize is not a multiple of 16 bytes. slow_plan: the time to make a decode plan is "
       "more than 5 % of the time of a call. not_pinned: threads may move between CPUs. frequency_governor: the frequency governor "
       "is not performance. load_average: the load average is high, but enough samples are clean. library_lacks_kernels: a newer "
       "release of ISA-L has faster kernels for this CPU than the libisal that ran.",
       [](const Row& row) -> Json { return remarks_json(row.notes); }},
      {"command", text(1),
       "The command that repeats the measurement, quoted for a shell. ~ replaces the home directory ($HOME) at the beginning of a "
       "word.",
       [](const Row& row) -> Json { return shared_command(row); }},
      {"sample_iterations", whole(1), "Number of iterations that each thread runs in one sample.",
       [](const Row& row) -> Json { return row.measurement.sample_iterations; }},
      {"samples", sample_list(), "The samples in the order of measurement. With --iterations or --pace, there is one sample.",
       [](const Row& row) -> Json { return samples_json(row.measurement.samples); }},
  };
}

}  // namespace ecbench
