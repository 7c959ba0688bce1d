#include "cli/measure_mixed.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "benchmark/buffers/memory.h"
#include "benchmark/environment/cgroup.h"
#include "benchmark/environment/environment.h"
#include "benchmark/environment/private_names.h"
#include "benchmark/mixed/mixed.h"
#include "benchmark/warnings/remarks.h"
#include "cli/command_line.h"
#include "cli/resolved_point.h"
#include "cli/run.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/mixed_report.h"

namespace ecbench {
namespace {

std::string mib(double bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.0f MiB", bytes / (1 << 20));
  return text.data();
}

void require_pool_memory(const MixedSettings& settings, double needed_bytes) {
  const auto available = static_cast<double>(available_memory_bytes());
  if (needed_bytes <= available) return;
  throw Error("--pool " + std::to_string(settings.pool_bytes) +
              " is not allowed: together, the objects of the measurement and its list of latencies need " + mib(needed_bytes) +
              ", but only " + mib(available) + " are available; give a smaller --pool, or a smaller --size");
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return list;
}

std::string fixed_number(double value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr};
}

std::string command_of(const Options& options, const ResolvedPoint& resolved, const MixedSettings& settings) {
  const Point& point = resolved.point;
  std::string line =
      shell_quoted(options.program) + " --mixed --plugin " + point.plugin + " --size " + std::to_string(point.size_bytes);
  if (point.stripe_unit_bytes != 0) line += " --stripe-unit " + std::to_string(point.stripe_unit_bytes);
  if (point.fill) line += " --fill " + shell_quoted(std::string(1, static_cast<char>(*point.fill)));
  if (point.dispatch != "native") line += " --dispatch " + point.dispatch;
  for (const auto& [key, value] : point.profile.values()) {
    if (!value.empty()) line += " --parameter " + shell_quoted(key + "=" + value);
  }
  line += " --shares " + shares_text(settings.shares);
  line += " --foreground-rate " + (settings.foreground_rate ? fixed_number(*settings.foreground_rate) : "max");
  if (settings.background == Background::deep_scrub) line += " --background deep-scrub";
  line += " --repair-rate " + (settings.repair_rate ? fixed_number(*settings.repair_rate) : "unlimited");
  line += " --foreground-cpu " + cpu_list(settings.foreground_cpus) + " --repair-cpu " + cpu_list(settings.repair_cpus);
  line += " --foreground-threads " + std::to_string(settings.foreground_threads) + " --repair-threads " +
          std::to_string(settings.repair_threads);
  line += " --duration " + fixed_number(settings.seconds) + " --pool " + std::to_string(settings.pool_bytes);
  line += " --seed " + std::to_string(point.seed);
  if (!point.codec_lib.empty()) line += " --codec-lib " + shell_quoted(point.codec_lib);
  if (!options.plugin_directory.empty()) line += " --erasure-code-dir " + shell_quoted(options.plugin_directory);
  if (!options.input_file.empty()) line += " --input " + shell_quoted(options.input_file);
  return line;
}

/// Not about more threads than CPUs: sharing can be on purpose.
Remarks machine_warnings(const Options& options, const MixedSettings& settings, const InterferenceCounters& before) {
  Environment environment = environment_of(options);
  environment.pinned_cpus = settings.foreground_cpus;
  environment.pinned_cpus.insert(environment.pinned_cpus.end(), settings.repair_cpus.begin(), settings.repair_cpus.end());
  environment.threads = settings.foreground_threads + (settings.repairs() ? settings.repair_threads : 0);
  environment.during_run = interference_between(before, read_interference_counters());
  Remarks remarks = unfit(environment);
  std::erase_if(remarks, [](const Remark& remark) { return remark.code == "shared_cpus"; });
  return remarks;
}

}  // namespace

void measure_mixed_point(const Options& options, Registry& registry, std::ostream& out) {
  MixedSettings settings = *options.mixed;
  std::vector<std::uint8_t> bytes;
  const ResolvedPoint resolved = resolve(options, registry, bytes);
  const Point& point = resolved.point;
  settings.seed = point.seed;
  const EncodedObject object(*resolved.code, bytes, point.stripe_unit_bytes);
  std::vector<std::uint8_t>().swap(bytes);
  require_pool_memory(settings, mixed_memory_bytes(object, point.stripe_unit_bytes, settings));
  const InterferenceCounters before = read_interference_counters();
  MixedRow row{.settings = settings, .host = host_name(private_names()), .date = now_utc()};
  row.code = {.point = point,
              .data_chunk_count = resolved.code->data_chunk_count(),
              .chunk_count = resolved.code->chunk_count(),
              .sub_chunk_count = resolved.code->sub_chunk_count(),
              .chunk_size_bytes = object.chunk_size_bytes()};
  row.code.kernel = info_of(*resolved.code).kernel();
  row.codec_libraries = resolved.codec_libraries;
  row.result = measure_mixed(object, point.stripe_unit_bytes, settings);
  row.warnings = mixed_warnings(row.result);
  for (const Remark& remark : machine_warnings(options, settings, before)) row.warnings.push_back(remark);
  row.notes = mixed_notes(settings);
  row.command = command_of(options, resolved, settings);
  if (options.strict && !row.warnings.empty()) {
    throw Error("--strict: these figures cannot be trusted: " + joined_texts(row.warnings));
  }
  out << (options.format == "json" ? mixed_json_text(row) : mixed_table(row));
  say_remarks(options, row.warnings, row.notes);
}

}  // namespace ecbench
