#include "benchmark/environment/cores.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "benchmark/environment/system_files.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr double same_kind = 0.9;  // CPUs of one kind can differ by this share in their greatest frequency (favoured cores)

fs::path folder_of(const fs::path& root, int cpu) {
  return root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
}

/// The CPUs with about the greatest number in this file; none if a CPU has no such file.
std::vector<int> greatest(const fs::path& root, const std::vector<int>& cpus, const char* file) {
  std::vector<std::int64_t> numbers;
  for (const int cpu : cpus) {
    const auto number = read_integer(folder_of(root, cpu) / file);
    if (!number) return {};
    numbers.push_back(*number);
  }
  std::vector<int> found;
  for (std::size_t i = 0; i < cpus.size(); i++) {
    const auto most = static_cast<double>(*std::ranges::max_element(numbers));
    if (static_cast<double>(numbers[i]) >= same_kind * most) found.push_back(cpus[i]);
  }
  return found;
}

}  // namespace

std::vector<int> fastest_kind(const fs::path& root, const std::vector<int>& cpus) {
  std::vector<int> found = greatest(root, cpus, "cpu_capacity");
  if (!found.empty()) return found;
  const std::vector<int> listed =
      parse_cpu_list(read_text(root / "sys/devices/cpu_core/cpus").value_or(""));  // hybrid CPUs of Intel
  std::ranges::copy_if(cpus, std::back_inserter(found), [&](int cpu) { return std::ranges::find(listed, cpu) != listed.end(); });
  if (!found.empty()) return found;
  found = greatest(root, cpus, "cpufreq/cpuinfo_max_freq");
  return found.empty() ? cpus : found;
}

std::vector<int> quiet_cpus(const fs::path& root, std::vector<int> cpus, std::size_t count) {
  std::ranges::sort(cpus, std::greater());
  const std::vector<int> fastest = fastest_kind(root, cpus);
  std::set<std::string> cores;
  std::vector<std::tuple<bool, bool, int>> order;
  for (const int cpu : cpus) {
    const auto siblings = read_text(folder_of(root, cpu) / "topology/thread_siblings_list");
    const bool is_sibling = siblings && !cores.insert(*siblings).second;
    order.emplace_back(std::ranges::find(fastest, cpu) == fastest.end(), is_sibling, -cpu);
  }
  std::ranges::sort(order);
  order.resize(std::min(count, order.size()));
  std::vector<int> chosen;
  for (const auto& [is_slow, is_sibling, negative] : order) chosen.push_back(-negative);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace ecbench
