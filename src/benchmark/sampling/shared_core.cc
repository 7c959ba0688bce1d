#include "benchmark/sampling/shared_core.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "benchmark/sampling/clean_samples.h"

namespace ecbench {
namespace {

constexpr double least_state_seconds = 2;
constexpr double most_free = 0.02;
constexpr double most_age_seconds = 30;
constexpr const char* line_name = "shared_core";

/// The clock is the same in all processes of this machine.
double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void CoreUse::add(std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    const bool had_cpu = sample.disturbance != Disturbance::cpu_taken;
    (!had_cpu ? no_cpu : sample.disturbance == Disturbance::core_shared ? shared : free)++;
  }
}

bool SharedCore::is_state() const {
  return throughput > 0 && seconds >= least_state_seconds;
}

SharedCore shared_core_of(const CoreUse& use, double throughput, double seconds) {
  const auto shared = static_cast<double>(use.shared);
  const auto with_cpu = static_cast<double>(use.shared + use.free);
  if (use.shared == 0 || static_cast<double>(use.free) > std::max(1.0, most_free * with_cpu)) return {};
  return {throughput, seconds * shared / (with_cpu + static_cast<double>(use.no_cpu))};
}

SharedCore continued(const SharedCore& before, const SharedCore& now) {
  if (now.throughput == 0 || before.throughput == 0) return now;
  if (now.throughput < least_throughput * before.throughput || before.throughput < least_throughput * now.throughput) return now;
  const double throughput = before.is_state() ? before.throughput : std::max(before.throughput, now.throughput);
  return {throughput, before.seconds + now.seconds};
}

SharedCore read_shared_core(const std::string& file) {
  SharedCore found;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return found;
  double last = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    double at = 0;
    SharedCore now;
    std::string name;
    if (!(words >> at >> now.throughput >> name >> now.seconds) || name != line_name) continue;
    found = continued(at - last < most_age_seconds ? found : SharedCore(), now);
    last = at;
  }
  const double age = now_seconds() - last;
  return age >= 0 && age < most_age_seconds ? found : SharedCore();
}

void store_shared_core(const std::string& file, const SharedCore& now) {
  std::ofstream out(file, std::ios::app);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << now_seconds() << ' ' << now.throughput << ' ' << line_name << ' ' << now.seconds << '\n';
}

}  // namespace ecbench
