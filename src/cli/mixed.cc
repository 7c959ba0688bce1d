#include "benchmark/mixed/mixed.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iostream>

#include "benchmark/buffers/memory.h"
#include "benchmark/environment/cgroup.h"
#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/private_names.h"
#include "benchmark/sampling/team.h"
#include "benchmark/warnings/remarks.h"
#include "cli/measure.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/mixed_report.h"

namespace ecbench {
namespace {

constexpr const char* default_shares = "read=40,degraded-read=20,encode=40";
constexpr double longest_seconds = 3600;
constexpr double most_operations_per_s = 1e9;
constexpr double least_operations_per_s = 0.001;  // at this rate, the time in ns between two operations fits in 64 bits

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

std::string command_of(const Call& call, const MeasureOptions& options, const ResolvedPoint& resolved,
                       const MixedSettings& settings) {
  const Point& point = resolved.point;
  std::string line =
      shell_quoted(call.program()) + " --mixed --plugin " + point.plugin + " --size " + std::to_string(point.size_bytes);
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
  if (!options.plugins.directory.empty()) line += " --erasure-code-dir " + shell_quoted(options.plugins.directory);
  if (!options.input_file.empty()) line += " --input " + shell_quoted(options.input_file);
  return line;
}

/// Not about more threads than CPUs: sharing can be on purpose.
Remarks machine_warnings(const Call& call, const MeasureOptions& options, const MixedSettings& settings,
                         const InterferenceCounters& before) {
  Environment environment = environment_of(call, options.point);
  environment.pinned_cpus = settings.foreground_cpus;
  environment.pinned_cpus.insert(environment.pinned_cpus.end(), settings.repair_cpus.begin(), settings.repair_cpus.end());
  environment.threads = settings.foreground_threads + (settings.repairs() ? settings.repair_threads : 0);
  environment.during_run = interference_between(before, read_interference_counters());
  Remarks remarks = unfit(environment);
  std::erase_if(remarks, [](const Remark& remark) { return remark.code == "shared_cpus"; });
  return remarks;
}

/// Two CPUs, of two cores if possible, or the only one. CPU 0 if the kernel does not say which CPUs this process may use.
std::vector<int> default_cpus() {
  const std::vector<int> cpus = quiet_cpus("/", read_allowed_cpus("/"), 2);
  return cpus.empty() ? std::vector{0} : cpus;
}

std::vector<int> cpus_of(const Arguments& arguments, const char* option, int default_cpu) {
  if (!arguments.has(option)) return {default_cpu};
  const std::string name = std::string("--") + option;
  const std::vector<int> cpus = parse_cpus(name, arguments.text(option, ""));
  check_cpus(cpus, name);
  for (auto cpu = cpus.begin(); cpu != cpus.end(); ++cpu) {
    if (std::find(cpus.begin(), cpu, *cpu) == cpu) continue;
    throw Error(name + " " + arguments.text(option, "") + " is not allowed: CPU " + std::to_string(*cpu) +
                " is given twice; give each CPU once. To run several threads on a CPU, use " + name.substr(0, name.rfind('-')) +
                "-threads");
  }
  return cpus;
}

int threads_of(const Arguments& arguments, const char* option, std::size_t cpus) {
  return static_cast<int>(parse_count(std::string("--") + option, arguments.text(option, std::to_string(cpus)), 1, most_threads));
}

std::optional<double> foreground_rate_of(const std::string& text) {
  if (text == "max") return std::nullopt;
  const double rate = parse_positive("--foreground-rate", text, most_operations_per_s);
  if (rate >= least_operations_per_s) return rate;
  throw Error("--foreground-rate " + text + " is not allowed: give at least 0.001 operations per second, or max");
}

std::optional<double> repair_rate_of(const std::string& text) {
  if (text == "unlimited") return std::nullopt;
  if (text == "0") return 0;
  return static_cast<double>(parse_size("--repair-rate", text));
}

MixedSettings settings_of(const Arguments& arguments) {
  const std::vector<int> cpus = default_cpus();
  MixedSettings settings;
  settings.shares = parse_shares("--shares", arguments.text("shares", default_shares));
  settings.foreground_rate = foreground_rate_of(arguments.text("foreground-rate", "max"));
  if (arguments.choice("background", {background_names[0], background_names[1]}) == background_names[1]) {
    settings.background = Background::deep_scrub;
  }
  settings.repair_rate = repair_rate_of(arguments.text("repair-rate", "0"));
  settings.foreground_cpus = cpus_of(arguments, "foreground-cpu", cpus.front());
  settings.repair_cpus = cpus_of(arguments, "repair-cpu", cpus.back());
  settings.foreground_threads = threads_of(arguments, "foreground-threads", settings.foreground_cpus.size());
  settings.repair_threads = threads_of(arguments, "repair-threads", settings.repair_cpus.size());
  settings.seconds = parse_positive("--duration", arguments.text("duration", "2"), longest_seconds);
  settings.pool_bytes = !arguments.has("pool") ? default_pool_bytes() : parse_size("--pool", arguments.text("pool", ""));
  arguments.choice("format", {"table", "json"});
  return settings;
}

void measure_mixed_point(const Call& call, const MeasureOptions& options, MixedSettings settings, Registry& registry,
                         std::ostream& out) {
  std::vector<std::uint8_t> bytes;
  const ResolvedPoint resolved = resolve(call, options, registry, bytes);
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
  for (const Remark& remark : machine_warnings(call, options, settings, before)) row.warnings.push_back(remark);
  row.notes = mixed_notes(settings);
  row.command = command_of(call, options, resolved, settings);
  if (options.strict && !row.warnings.empty()) {
    throw Error("--strict: these figures cannot be trusted: " + joined_texts(row.warnings));
  }
  out << (options.format == "json" ? mixed_json_text(row) : mixed_table(row));
  if (!options.as_ceph) say_remarks(options.verbose, row.warnings, row.notes);
}

}  // namespace

void add_mixed_options(po::options_description& options, bool as_ceph) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("shares", text()->value_name("KIND=PERCENT,..."),
      "share of each KIND in the foreground operations, in percent; the sum of the shares must be 100\n"
      "(default read=40,degraded-read=20,encode=40)");
  add("foreground-rate", text()->value_name("N|max"),
      "foreground operations per second, in all threads together; max: each thread starts an operation when its previous "
      "operation has ended (default max)");
  add("background", text()->value_name("repair|deep-scrub"),
      "repair: one lost chunk is rebuilt; deep-scrub: all chunks are read and their CRC32C is checked (default repair)");
  add("repair-rate", text()->value_name("BYTES|unlimited"),
      "maximum rate of the background, in rebuilt or scrubbed bytes per second; 0: no background (default 0)");
  add("foreground-cpu", text()->value_name("LIST"), "CPUs of the foreground (default: a CPU of the fastest kind)");
  add("repair-cpu", text()->value_name("LIST"),
      "CPUs of the background (default: a CPU of another core; if ecbench may use only one CPU, this CPU)");
  add("foreground-threads", text()->value_name("N"), "number of foreground threads (default: one for each CPU of the foreground)");
  add("repair-threads", text()->value_name("N"), "number of background threads (default: one for each CPU of the background)");
  add("duration", text()->value_name("SECONDS"),
      "duration of the measurement in seconds (default 2). No foreground operation is scheduled to start after this time");
  add("pool", text()->value_name("BYTES"),
      "memory for the objects of the foreground. The objects of the background take the same amount of memory in addition "
      "(default: twice the size of the L3 cache, but at least 64M)");
  add("format", text()->value_name("table|json"), "default table");
  add("input", text()->value_name("FILE"), "read the object from FILE");
  add("strict", "no row if there is a warning");
  add("verbose,v", "print warnings and notes");
  add_point_options(options, as_ceph, {"plugin", "parameter", "size", "stripe-unit", "fill", "seed", "dispatch", "codec-lib"});
  add_plugin_directory(options);
}

int run_mixed(const Call& call) {
  const MixedSettings settings = settings_of(call.arguments);
  MeasureOptions options = take_measure_options(call);
  options.point.iterations = 1;  // no samples are taken, so resolve() must not require memory for several placements
  options.point.threads = settings.foreground_threads + settings.repair_threads;
  Registry registry = registry_of(options.plugins);
  measure_mixed_point(call, options, settings, registry, std::cout);
  return 0;
}

}  // namespace ecbench
