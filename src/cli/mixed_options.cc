#include "cli/mixed_options.h"

#include <algorithm>

#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/system_info.h"
#include "benchmark/sampling/team.h"
#include "cli/choices.h"
#include "cli/measuring_options.h"
#include "cli/size.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr const char* default_shares = "read=40,degraded-read=20,encode=40";
constexpr double longest_seconds = 3600;
constexpr double most_operations_per_s = 1e9;
constexpr double least_operations_per_s = 0.001;  // at this rate, the time in ns between two operations fits in 64 bits

const std::set<std::string>& options_of_mixed() {
  static const std::set<std::string> names = [] {
    po::options_description options;
    describe_mixed_options(options);
    std::set<std::string> found;
    for (const auto& option : options.options()) found.insert(option->long_name());
    return found;
  }();
  return names;
}

void check_given(const std::set<std::string>& given) {
  static const std::set<std::string> allowed{"plugin", "parameter",        "size",   "stripe-unit", "fill",
                                             "seed",   "dispatch",         "input",  "codec-lib",   "format",
                                             "strict", "erasure-code-dir", "verbose"};
  const bool is_mixed = given.count("mixed") != 0;
  for (const std::string& option : given) {
    const bool belongs = options_of_mixed().count(option) != 0;
    if (!is_mixed && belongs) {
      throw Error("--" + option + " is not allowed without --mixed; add --mixed or leave --" + option + " out");
    }
    if (is_mixed && !belongs && allowed.count(option) == 0) {
      throw Error("--" + option + " is not allowed with --mixed: mixed measurements do not use it; leave --" + option +
                  " out (--help lists the options for --mixed)");
    }
  }
}

/// Two CPUs, of two cores if possible, or the only one. CPU 0 if the kernel does not say which CPUs this process may use.
std::vector<int> default_cpus() {
  const std::vector<int> cpus = quiet_cpus("/", read_allowed_cpus("/"), 2);
  return cpus.empty() ? std::vector{0} : cpus;
}

std::vector<int> cpus_of(const po::variables_map& values, const char* option, int default_cpu) {
  if (values.count(option) == 0) return {default_cpu};
  const std::string name = std::string("--") + option;
  const std::vector<int> cpus = parse_cpus(name, text_of(values, option, ""));
  check_cpus(cpus, name);
  for (auto cpu = cpus.begin(); cpu != cpus.end(); ++cpu) {
    if (std::find(cpus.begin(), cpu, *cpu) == cpu) continue;
    throw Error(name + " " + text_of(values, option, "") + " is not allowed: CPU " + std::to_string(*cpu) +
                " is given twice; give each CPU once. To run several threads on a CPU, use " + name.substr(0, name.rfind('-')) +
                "-threads");
  }
  return cpus;
}

int threads_of(const po::variables_map& values, const char* option, std::size_t cpus) {
  return static_cast<int>(parse_count(std::string("--") + option, text_of(values, option, std::to_string(cpus)), 1, most_threads));
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

}  // namespace

void describe_mixed_options(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("mixed",
      "measure the latency of client operations (foreground) while lost chunks are repaired or objects are scrubbed (background). "
      "The options below are only for --mixed");
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
}

std::optional<MixedSettings> take_mixed_options(const po::variables_map& values, const std::set<std::string>& given) {
  check_given(given);
  if (given.count("mixed") == 0) return std::nullopt;
  const std::vector<int> cpus = default_cpus();
  MixedSettings settings;
  settings.shares = parse_shares("--shares", text_of(values, "shares", default_shares));
  settings.foreground_rate = foreground_rate_of(text_of(values, "foreground-rate", "max"));
  if (choice_of(values, "background", {background_names[0], background_names[1]}) == background_names[1]) {
    settings.background = Background::deep_scrub;
  }
  settings.repair_rate = repair_rate_of(text_of(values, "repair-rate", "0"));
  settings.foreground_cpus = cpus_of(values, "foreground-cpu", cpus.front());
  settings.repair_cpus = cpus_of(values, "repair-cpu", cpus.back());
  settings.foreground_threads = threads_of(values, "foreground-threads", settings.foreground_cpus.size());
  settings.repair_threads = threads_of(values, "repair-threads", settings.repair_cpus.size());
  settings.seconds = parse_positive("--duration", text_of(values, "duration", "2"), longest_seconds);
  settings.pool_bytes = values.count("pool") == 0 ? default_pool_bytes() : parse_size("--pool", text_of(values, "pool", ""));
  choice_of(values, "format", {"table", "json"});
  return settings;
}

}  // namespace ecbench
