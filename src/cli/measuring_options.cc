#include <algorithm>
#include <array>
#include <charconv>

#include "benchmark/environment/environment.h"
#include "benchmark/sampling/team.h"
#include "benchmark/workloads/workload.h"
#include "cli/point_options.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr const char* ceph_iterations = "100";
constexpr std::uint64_t most_placements = 1024;

constexpr std::array sampling_options{"min-time", "max-time", "target-ci", "placements", "limit", "limit-file", "patience", "pace"};
constexpr double least_pace = 0.001;
constexpr double most_pace = 1e9;

/// For one interval instead of samples.
void check_one_interval(const Arguments& arguments) {
  const std::string why =
      arguments.has("iterations")
          ? " is not allowed with --iterations, because ecbench takes no samples with --iterations; leave one of them out"
          : " is not allowed if ecbench is called as Ceph's tool, because ecbench then takes no samples; leave the option out";
  for (const char* option : sampling_options) {
    if (!arguments.has(option)) continue;
    throw Error(std::string("--") + option + why);
  }
}

void take_sampling(const Arguments& arguments, Sampling& sampling) {
  constexpr double hour = 3600;
  sampling.min_seconds = parse_positive("--min-time", arguments.text("min-time", "0.2"), hour);
  sampling.max_seconds = parse_positive("--max-time", arguments.text("max-time", "10"), hour);
  if (!arguments.has("max-time")) sampling.max_seconds = std::max(sampling.max_seconds, sampling.min_seconds);
  sampling.patience_seconds = arguments.has("max-time") ? sampling.max_seconds : default_patience * sampling.min_seconds;
  if (arguments.has("patience")) {
    sampling.patience_seconds = std::min(sampling.max_seconds, parse_positive("--patience", arguments.text("patience"), hour));
  }
  if (sampling.max_seconds < sampling.min_seconds) {
    throw Error("--max-time " + arguments.text("max-time") +
                " is not allowed: it is less than --min-time; give a longer --max-time or a shorter --min-time");
  }
  if (arguments.has("drift-floor")) {
    const std::string floor = arguments.text("drift-floor");
    sampling.drift_floor_percent = floor == "0" ? 0 : parse_positive("--drift-floor", floor, 100);
  }
  if (arguments.has("target-ci")) {
    sampling.target_percent = parse_positive("--target-ci", arguments.text("target-ci"), 100);
    if (*sampling.target_percent <= sampling.drift_floor_percent) {
      throw Error("--target-ci " + arguments.text("target-ci") + " is not allowed: it must be greater than --drift-floor (" +
                  arguments.text("drift-floor", "1.5") + "), because --drift-floor widens every confidence interval at both ends");
    }
  }
  sampling.placements = static_cast<int>(parse_count("--placements", arguments.text("placements", "8"), 1, most_placements));
  sampling.limit_file = arguments.text("limit-file");
  sampling.measures_limit = arguments.choice("limit", {"yes", "no"}) == "yes";
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

Background parse_background(const std::string& text, const Arguments& arguments, const Point& point) {
  const std::size_t at = std::min(text.find('@'), text.size());
  Background background{.workload = text.substr(0, at)};
  const std::vector<std::string> allowed = workload_names();
  if (std::ranges::find(allowed, background.workload) == allowed.end()) {
    throw Error("--background " + (text.empty() ? "''" : text) + " is not allowed: give a workload (" + joined(allowed, "|") +
                "), and optionally its bytes per second, such as repair@50M");
  }
  if (at < text.size()) background.bytes_per_s = parse_size("--background " + text + ": rate", text.substr(at + 1));
  background.cpus = {default_background_cpu(point)};
  if (arguments.has("background-cpu")) {
    background.cpus = parse_cpus("--background-cpu", arguments.text("background-cpu"));
    check_cpus(background.cpus, "--background-cpu");
  }
  return background;
}

void take_pace(const Arguments& arguments, Point& point) {
  if (arguments.has("pace")) {
    if (arguments.has("target-ci")) throw Error("--target-ci is not allowed with --pace, which sets the number of operations");
    point.pace = parse_pace(arguments.text("pace"));
  }
  if (arguments.has("background")) {
    point.background = parse_background(arguments.text("background"), arguments, point);
  } else if (arguments.has("background-cpu")) {
    throw Error("--background-cpu is not allowed without --background; give both options, or leave --background-cpu out");
  }
}

}  // namespace

void add_measuring_options(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("iterations,i", text()->value_name("N"), "one interval, no samples (Ceph: 100)");
  add("min-time", text()->value_name("SECONDS"), "shortest time of the samples (default 0.2)");
  add("max-time", text()->value_name("SECONDS"), "");
  add("target-ci", text()->value_name("PERCENT"), "");
  add("cache", text()->value_name("warm|cold"), "cold: another object in each call");
  add("timing", text()->value_name("kernel|api"), "api: also time what Ceph does for each call");
  add("stripe-unit", text()->value_name("BYTES|none"), "bytes of a chunk in a stripe (default none)");
  add("fill", text()->value_name("random|X"), "each byte of the object is X (default random)");
  add("threads", text()->value_name("N"), "threads, each with its own object (default 1)");
  add("pace", text()->value_name("RATE|LOAD%"), "operations per s, or percent of the greatest rate");
  add("background", text()->value_name("WORK[@RATE]"), "run WORK at the same time, e.g. repair@50M");
  add("cpu", text()->value_name("LIST"), "pin the threads to these CPUs, e.g. 1 or 0,2-3");
  add("dispatch", text()->value_name("LEVEL"), "CPU instructions that the plugin may use");
  // The CPUs of --background (default: of another core); the longest wait for clean samples (default 50 times --min-time); the
  // number of buffer placements (8); what widens the confidence interval at both ends, because repeated runs differ (1.5); whether
  // the roofline is also measured (yes), and a file with rooflines that other processes measured less than 30 s ago.
  add("background-cpu", text()->value_name("LIST"), "");
  add("patience", text()->value_name("SECONDS"), "");
  add("placements", text()->value_name("N"), "");
  add("drift-floor", text()->value_name("PERCENT"), "");
  add("limit", text()->value_name("yes|no"), "");
  add("limit-file", text()->value_name("FILE"), "");
}

bool asks_for_samples(const Arguments& arguments) {
  return std::ranges::any_of(sampling_options, [&](const char* option) { return arguments.has(option); });
}

void take_measuring_options(const Arguments& arguments, bool as_ceph, Point& point) {
  if (as_ceph || arguments.has("iterations")) {
    point.iterations = parse_count("--iterations", arguments.text("iterations", ceph_iterations), 1);
    check_one_interval(arguments);
  }
  take_sampling(arguments, point.sampling);
  point.cache = arguments.choice("cache", {"warm", "cold"}) == "cold" ? CacheState::cold : CacheState::warm;
  const std::vector<std::string> timings =
      as_ceph ? std::vector<std::string>{"api", "kernel"} : std::vector<std::string>{"kernel", "api"};
  point.timing = arguments.choice("timing", timings) == "api" ? Timing::api : Timing::kernel;
  const std::string stripe_unit = arguments.text("stripe-unit", "none");
  if (stripe_unit != "none") point.stripe_unit_bytes = parse_size("--stripe-unit", stripe_unit);
  const std::string fill = arguments.text("fill", "random");
  if (fill != "random" && fill.size() != 1) {
    throw Error("--fill " + fill + " is not allowed: give random or one character, such as X");
  }
  if (fill != "random") point.fill = static_cast<std::uint8_t>(fill.front());
  point.threads = static_cast<int>(parse_count("--threads", arguments.text("threads", "1"), 1, most_threads));
  point.dispatch = arguments.text("dispatch", native_dispatch);
  if (arguments.has("cpu")) point.cpus = parse_cpus("--cpu", arguments.text("cpu"));
  check_cpus(point.cpus);
  take_pace(arguments, point);
}

}  // namespace ecbench
