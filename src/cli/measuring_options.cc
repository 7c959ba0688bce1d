#include "cli/measuring_options.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "benchmark/environment/cores.h"
#include "benchmark/environment/system_info.h"
#include "benchmark/sampling/team.h"
#include "benchmark/workloads/workload.h"
#include "cli/choices.h"
#include "cli/size.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr const char* ceph_iterations = "100";
constexpr std::uint64_t most_placements = 1024;

constexpr std::array sampling_options{"min-time", "max-time", "target-ci", "placements", "limit", "limit-file", "patience", "pace"};
constexpr double least_pace = 0.001;
constexpr double most_pace = 1e9;

/// For one interval instead of samples.
void check_one_interval(const po::variables_map& values) {
  const std::string why =
      values.count("iterations") != 0
          ? " is not allowed with --iterations, because ecbench takes no samples with --iterations; leave one of them out"
          : " is not allowed if ecbench is called as Ceph's tool, because ecbench then takes no samples; leave the option out";
  for (const char* option : sampling_options) {
    if (values.count(option) == 0) continue;
    throw Error(std::string("--") + option + why);
  }
}

void take_sampling(const po::variables_map& values, Sampling& sampling) {
  constexpr double hour = 3600;
  sampling.min_seconds = parse_positive("--min-time", text_of(values, "min-time", "0.2"), hour);
  sampling.max_seconds = parse_positive("--max-time", text_of(values, "max-time", "10"), hour);
  if (values.count("max-time") == 0) sampling.max_seconds = std::max(sampling.max_seconds, sampling.min_seconds);
  sampling.patience_seconds = values.count("max-time") != 0 ? sampling.max_seconds : default_patience * sampling.min_seconds;
  if (values.count("patience") != 0) {
    sampling.patience_seconds = std::min(sampling.max_seconds, parse_positive("--patience", text_of(values, "patience", ""), hour));
  }
  if (sampling.max_seconds < sampling.min_seconds) {
    throw Error("--max-time " + text_of(values, "max-time", "") +
                " is not allowed: it is less than --min-time; give a longer --max-time or a shorter --min-time");
  }
  if (values.count("drift-floor") != 0) {
    const std::string floor = text_of(values, "drift-floor", "");
    sampling.drift_floor_percent = floor == "0" ? 0 : parse_positive("--drift-floor", floor, 100);
  }
  if (values.count("target-ci") != 0) {
    sampling.target_percent = parse_positive("--target-ci", text_of(values, "target-ci", ""), 100);
    if (*sampling.target_percent <= sampling.drift_floor_percent) {
      throw Error("--target-ci " + text_of(values, "target-ci", "") + " is not allowed: it must be greater than --drift-floor (" +
                  text_of(values, "drift-floor", "1.5") + "), because --drift-floor widens every confidence interval at both ends");
    }
  }
  sampling.placements = static_cast<int>(parse_count("--placements", text_of(values, "placements", "8"), 1, most_placements));
  sampling.limit_file = text_of(values, "limit-file", "");
  sampling.measures_limit = choice_of(values, "limit", {"yes", "no"}) == "yes";
}

Pace parse_pace(const std::string& text) {
  Pace pace{.is_percent = text.ends_with('%')};
  const char* end = text.data() + text.size() - (pace.is_percent ? 1 : 0);
  const auto [rest, error] = std::from_chars(text.data(), end, pace.amount);
  const bool allowed =
      pace.is_percent ? pace.amount >= 1 && pace.amount <= 100 : pace.amount >= least_pace && pace.amount <= most_pace;
  if (error == std::errc() && rest == end && allowed) return pace;
  throw Error("--pace " + (text.empty() ? "''" : text) +
              " is not allowed: give operations per second, 0.001 to 1000000000, or a percentage of the greatest rate, 1% to 100%");
}

/// A CPU of another core than those of the point, if this process may use one.
int default_background_cpu(const Point& point) {
  const std::vector<int> cpus = quiet_cpus("/", read_allowed_cpus("/"), point.cpus.size() + 2);
  const auto free = std::ranges::find_if(cpus, [&](int cpu) { return std::ranges::find(point.cpus, cpu) == point.cpus.end(); });
  return free != cpus.end() ? *free : cpus.empty() ? 0 : cpus.front();
}

Background parse_background(const std::string& text, const po::variables_map& values, const Point& point) {
  const std::size_t at = std::min(text.find('@'), text.size());
  Background background{.workload = text.substr(0, at)};
  const std::vector<std::string> allowed = workload_names();
  if (std::ranges::find(allowed, background.workload) == allowed.end()) {
    throw Error("--background " + (text.empty() ? "''" : text) + " is not allowed: give a workload (" + either(allowed) +
                "), and optionally its bytes per second, such as repair@50M");
  }
  if (at < text.size()) background.bytes_per_s = parse_size("--background " + text + ": rate", text.substr(at + 1));
  background.cpus = {default_background_cpu(point)};
  if (values.count("background-cpu") != 0) {
    background.cpus = parse_cpus("--background-cpu", text_of(values, "background-cpu", ""));
    check_cpus(background.cpus, "--background-cpu");
  }
  return background;
}

void take_pace(const po::variables_map& values, Point& point) {
  if (values.count("pace") != 0) {
    if (values.count("target-ci") != 0) throw Error("--target-ci is not allowed with --pace, which sets the number of operations");
    point.pace = parse_pace(text_of(values, "pace", ""));
  }
  if (values.count("background") != 0) {
    point.background = parse_background(text_of(values, "background", ""), values, point);
  } else if (values.count("background-cpu") != 0) {
    throw Error("--background-cpu is not allowed without --background; give both options, or leave --background-cpu out");
  }
}

}  // namespace

double parse_positive(const std::string& option, const std::string& text, double maximum) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !std::isfinite(number) || number <= 0 || number > maximum) {
    std::ostringstream allowed;
    allowed << maximum;
    throw Error(option + " " + text + " is not allowed: give a number greater than 0 and at most " + allowed.str());
  }
  return number;
}

std::vector<int> parse_cpus(const std::string& option, const std::string& text) {
  const Error bad(option + " " + (text.empty() ? "''" : text) + " is not allowed: give a list of CPUs such as 1 or 0,2-3");
  const auto cpu_of = [&](const std::string& digits) {
    int cpu = -1;
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, cpu);
    if (error != std::errc() || rest != end || cpu < 0 || cpu >= CPU_SETSIZE) throw bad;
    return cpu;
  };
  std::vector<int> cpus;
  std::istringstream list(text + ",");
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t dash = item.find('-');
    const int first = cpu_of(item.substr(0, dash));
    const int last = dash == std::string::npos ? first : cpu_of(item.substr(dash + 1));
    if (last < first) throw bad;
    for (int cpu = first; cpu <= last; cpu++) cpus.push_back(cpu);
  }
  return cpus;
}

void describe_measuring_options(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("iterations,i", text()->value_name("N"),
      "time one interval of N iterations instead of samples (default: samples; if called as Ceph's tool: 100 iterations)");
  add("min-time", text()->value_name("SECONDS"), "take samples for at least this time (default 0.2)");
  add("max-time", text()->value_name("SECONDS"),
      "stop after this time, even if --target-ci is not reached or other programs have disturbed the samples (default 10). "
      "If samples are disturbed, ecbench takes more samples, until --patience or --max-time has passed");
  add("patience", text()->value_name("SECONDS"), "wait this time for undisturbed samples (default 50 times --min-time)");
  add("target-ci", text()->value_name("PERCENT"),
      "take samples until half the width of the confidence interval is at most PERCENT of the measured speed");
  add("placements", text()->value_name("N"), "measure at N buffer placements in memory (default 8)");
  add("drift-floor", text()->value_name("PERCENT"),
      "noise floor: widen the confidence interval at both ends by PERCENT of the measured speed, because repeated runs differ "
      "(default 1.5)");
  add("limit", text()->value_name("yes|no"), "yes: measure the roofline in addition to the workload (default yes)");
  add("limit-file", text()->value_name("FILE"),
      "read the roofline from FILE if another process measured it less than 30 s ago; otherwise measure it and append it to "
      "FILE; also share through FILE whether another hardware thread uses the core all the time");
  add("pace", text()->value_name("RATE|LOAD%"),
      "start RATE operations per second in all threads together, at evenly spaced times, and measure the latencies from these "
      "times (p50, p95, p99): for --min-time, or for 1000 operations if these take longer, but at most --max-time. LOAD%: percent "
      "of the greatest rate, which is measured first");
  add("background", text()->value_name("WORKLOAD[@RATE]"),
      "run another workload at the same time, for example repair@50M: at most RATE bytes per second of objects, or of rebuilt "
      "chunks for repair");
  add("background-cpu", text()->value_name("LIST"),
      "CPUs of the background, each with a thread (default: one of another core than those of --cpu)");
  add("cache", text()->value_name("warm|cold"),
      "warm: each call uses the same chunks, which are in the cache if they fit; cold: each call uses another object of a pool "
      "that is larger than the cache (default warm)");
  add("timing", text()->value_name("kernel|api"),
      "kernel: time only the calls of the erasure code; api: also time the work that Ceph does for each call, such as allocation "
      "(default kernel; if called as Ceph's tool: api)");
  add("stripe-unit", text()->value_name("BYTES|none"),
      "encode the object stripe by stripe, as an OSD does; each chunk has BYTES bytes in one stripe. none: encode the object as "
      "one stripe (default none)");
  add("fill", text()->value_name("random|X"),
      "random: the object consists of pseudo-random bytes; X: each byte of the object is the character X, as in Ceph's tool "
      "(default random)");
  add("threads", text()->value_name("N"), "number of threads, each with its own object (default 1)");
  add("dispatch", text()->value_name(either(dispatch_level_names())),
      "dispatch level: the CPU instructions that the plugin may use. Some plugins allow only native (default native)");
  add("cpu", text()->value_name("LIST"), "pin the threads to these CPUs, e.g. 1 or 0,2-3");
}

bool asks_for_samples(const po::variables_map& values) {
  return std::ranges::any_of(sampling_options, [&](const char* option) { return values.count(option) != 0; });
}

void take_measuring_options(const po::variables_map& values, bool as_ceph, Point& point) {
  if (as_ceph || values.count("iterations") != 0) {
    point.iterations = parse_count("--iterations", text_of(values, "iterations", ceph_iterations), 1);
    check_one_interval(values);
  }
  take_sampling(values, point.sampling);
  point.cache = choice_of(values, "cache", {"warm", "cold"}) == "cold" ? CacheState::cold : CacheState::warm;
  const std::vector<std::string> timings =
      as_ceph ? std::vector<std::string>{"api", "kernel"} : std::vector<std::string>{"kernel", "api"};
  point.timing = choice_of(values, "timing", timings) == "api" ? Timing::api : Timing::kernel;
  const std::string stripe_unit = text_of(values, "stripe-unit", "none");
  if (stripe_unit != "none") point.stripe_unit_bytes = parse_size("--stripe-unit", stripe_unit);
  const std::string fill = text_of(values, "fill", "random");
  if (fill != "random" && fill.size() != 1) {
    throw Error("--fill " + fill + " is not allowed: give random or one character, such as X");
  }
  if (fill != "random") point.fill = static_cast<std::uint8_t>(fill.front());
  point.threads = static_cast<int>(parse_count("--threads", text_of(values, "threads", "1"), 1, most_threads));
  point.dispatch = text_of(values, "dispatch", native_dispatch);
  if (values.count("cpu") != 0) point.cpus = parse_cpus("--cpu", text_of(values, "cpu", ""));
  check_cpus(point.cpus);
  take_pace(values, point);
}

}  // namespace ecbench
