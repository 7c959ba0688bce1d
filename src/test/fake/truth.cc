#include "truth.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmark/pace/pace.h"
#include "erasure_code/error.h"

namespace ecbench::fake {
namespace {

using Json = nlohmann::json;

const std::map<std::string, double> plugin_speeds{{"isa", 12}, {"jerasure", 4}, {"simd", 36},
                                                  {"clay", 3}, {"shec", 3.5},   {"lrc", 6}};
const std::map<std::string, double> technique_speeds{{"cauchy_orig", 0.5}, {"cauchy_good", 0.8}, {"liberation", 0.9},
                                                     {"blaum_roth", 0.85}, {"liber8tion", 0.8},  {"cauchy", 0.98}};
const std::map<std::string, double> workload_speeds{{"decode", 0.9}, {"repair", 1.5}, {"overwrite", 2}, {"scrub", 3}};

double of(const std::map<std::string, double>& values, const std::string& key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : found->second;
}

/// A speed in GB/s that depends on everything on which real speeds depend.
double usual_speed(const Point& point) {
  const double m = std::max(1.0, std::atof(point.profile.text("m").c_str()));
  const double k = std::max(1.0, std::atof(point.profile.text("k").c_str()));
  double speed = of(plugin_speeds, point.plugin, 20) * of(technique_speeds, point.profile.text("technique"), 1) *
                 of(workload_speeds, point.workload, 1) * 2 / std::max(m, 1.0 * point.erasures) * k / (k + 0.5);
  const double packet = std::atof(point.profile.text("packetsize").c_str());
  if (packet > 0) speed /= 1 + 0.05 * std::pow(std::log2(packet / 2048), 2);
  if (point.dispatch != "native") speed *= point.dispatch == "none" || point.dispatch == "baseline" ? 0.2 : 0.6;
  return speed * (point.timing == Timing::api ? 0.8 : 1);
}

double common_factor(const Point& point) {
  const auto size = static_cast<double>(point.size_bytes);
  return size / (size + 2048) * (point.cache == CacheState::cold ? 0.6 : 1) * point.threads;
}

Facts facts_of(const Point& point) {
  Facts facts;
  for (const auto& [key, value] : point.profile.values()) facts[key] = value;
  facts["plugin"] = point.plugin;
  facts["workload"] = point.workload;
  facts["size"] = std::to_string(point.size_bytes);
  facts["cache"] = point.cache == CacheState::cold ? "cold" : "warm";
  facts["erasures"] = std::to_string(point.erasures);
  facts["threads"] = std::to_string(point.threads);
  facts["dispatch"] = point.dispatch;
  facts["changed"] = std::to_string(point.changed_chunks);
  if (point.pace) facts["pace"] = text_of(*point.pace);
  if (point.background) facts["background"] = text_of(*point.background);
  facts["program"] = std::filesystem::path(program_invocation_name).parent_path().filename().string();
  return facts;
}

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [key, value] : facts) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

struct Count {
  int of_point = 1;
  int of_all = 1;
};

/// Of measurements that are in the log.
Count count(const std::string& log, const std::string& text) {
  Count found;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line); found.of_all++) found.of_point += line == text ? 1 : 0;
  return found;
}

bool contains(const Json& allowed, const Json& value) {
  return allowed.is_array() ? std::ranges::find(allowed, value) != allowed.end() : allowed == value;
}

bool holds(const Json& rule, const Facts& facts, const Count& number) {
  if (rule.contains("launches") && !contains(rule["launches"], number.of_point)) return false;
  if (rule.contains("at") && !contains(rule["at"], number.of_all)) return false;
  const Json conditions = rule.value("if", Json::object());
  for (const auto& [key, allowed] : conditions.items()) {
    const auto fact = facts.find(key);
    if (fact == facts.end() || !contains(allowed, fact->second)) return false;
  }
  return true;
}

[[noreturn]] void wait_for_end() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == 1) raise(SIGKILL);  // the parent has ended before
  for (;;) pause();
}

[[noreturn]] void end_parent(int signal) {
  kill(getppid(), signal);
  wait_for_end();
}

}  // namespace

Truth::Truth(const Point& point) {
  const std::string file = std::getenv("ECBENCH_FAKE");
  const Json json = Json::parse(std::ifstream(file));
  const Facts facts = facts_of(point);
  const std::string text = text_of(facts);
  const std::string log = file + ".log";
  const Count number = count(log, text);
  engine_.seed(std::hash<std::string>()(text) + json.value("seed", 1ULL) * 1'000'003 + static_cast<std::uint64_t>(number.of_point));
  speed_ = usual_speed(point) * common_factor(point);
  limit_ = 240 / (1 + std::max(1.0, std::atof(point.profile.text("m").c_str())) / 4) * common_factor(point);
  if (point.workload == "limit" || point.workload == "memcpy") speed_ = limit_;
  double launch = noise_;
  int signal = 0;
  for (const Json& rule : json.value("rules", Json::array())) {
    if (!holds(rule, facts, number)) continue;
    speed_ *= rule.value("speed", 1.0);
    launch = rule.value("launch", launch);
    noise_ = rule.value("noise", noise_);
    correlation_ = rule.value("correlation", correlation_);
    tails_ = rule.value("tails", tails_);
    drift_ = rule.value("drift", drift_);
    disturbed_ = rule.value("disturbed", disturbed_);
    fail_ = rule.value("fail", fail_);
    signal = rule.value("signal", signal);
  }
  process_ = std::exp(std::normal_distribution(0.0, 1.0)(engine_) * launch);
  if (signal != 0) end_parent(signal);
  std::ofstream(log, std::ios::app) << text << '\n' << std::flush;
  fail();
}

double Truth::next(double progress) {
  last_ = correlation_ * last_ + std::sqrt(1 - correlation_ * correlation_) * std::normal_distribution(0.0, 1.0)(engine_);
  const double tail = std::bernoulli_distribution(tails_)(engine_) ? 1 + std::exponential_distribution(0.5)(engine_) : 1;
  return process_ * std::exp(noise_ * last_) * tail * (1 + drift_ * progress);
}

void Truth::fail() const {
  if (fail_ == "hang") wait_for_end();
  if (fail_ == "killed") raise(SIGKILL);
  if (fail_ == "crash") raise(SIGSEGV);
  if (fail_ == "refused") throw Error("fake_ecbench refuses this point");
  if (fail_ == "exit") syscall(SYS_exit_group, 3);
  if (fail_ == "no_row") {
    static_cast<void>(!write(STDOUT_FILENO, "{}\n", 3));
    syscall(SYS_exit_group, 0);
  }
}

}  // namespace ecbench::fake
