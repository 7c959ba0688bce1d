#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmark/environment/environment.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// A mount of a cgroup hierarchy: the mount point (`path`), and the control group at the root of the mount (`group`). `group` is
/// "/", except in a container in which only the container's own group is visible.
struct Mount {
  std::string group;
  std::string path;
};

struct Membership {
  int version = 0;
  std::string group;
};

bool lists(const std::string& commas, const std::string& word) {
  return ("," + commas + ",").find("," + word + ",") != std::string::npos;
}

/// The control group of this process in the hierarchy that has the controller. A line of /proc/self/cgroup has the format
/// number:controllers:group. For cgroup version 2, the number is 0 and the list of controllers is empty.
std::optional<Membership> membership(const fs::path& root, const std::string& controller) {
  std::optional<Membership> found;
  for (const std::string& line : lines_of(read_text(root / "proc/self/cgroup").value_or(""))) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (lists(controllers, controller)) return Membership{1, group};
    if (controllers.empty() && line.starts_with("0:")) found = Membership{2, group};
  }
  return found;
}

/// Replaces the octal escapes in a word of mountinfo. For example, the escape \040 means a space.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); i++) {
    int code = 0;
    const bool escape = text[i] == '\\' && i + 3 < text.size() &&
                        std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr == text.data() + i + 4;
    plain += escape ? static_cast<char>(code) : text[i];
    if (escape) i += 3;
  }
  return plain;
}

/// Searches /proc/self/mountinfo for the mount of the hierarchy that has the controller. A line of this file has the words:
/// id parent device root mountpoint options [optional ...] - type source superblock-options.
std::optional<Mount> mount_of(const fs::path& root, int version, const std::string& controller) {
  for (const std::string& line : lines_of(read_text(root / "proc/self/mountinfo").value_or(""))) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const bool wanted = version == 2 ? dash[1] == "cgroup2" : dash[1] == "cgroup" && lists(dash[3], controller);
    if (wanted) return Mount{unescaped(words[3]), unescaped(words[4])};
  }
  return std::nullopt;
}

/// The directories of `group` and of its ancestors, from the mount point to `group`.
std::vector<fs::path> folders(const fs::path& root, const Mount& mount, const std::string& group) {
  fs::path below = fs::path(group).lexically_relative(mount.group);
  if (below.empty() || *below.begin() == ".." || below == ".") below.clear();
  const fs::path top = root / fs::path(mount.path).relative_path();
  std::vector<fs::path> found{top};
  for (const fs::path& part : below) found.push_back(found.back() / part);
  return found;
}

/// The version of the hierarchy that has a controller, and the directories of this process's group and of its ancestors.
struct Hierarchy {
  std::optional<int> version;
  std::vector<fs::path> folders;
};

Hierarchy hierarchy_of(const fs::path& root, const std::string& controller) {
  const std::optional<Membership> member = membership(root, controller);
  const std::optional<Mount> mount = member ? mount_of(root, member->version, controller) : std::nullopt;
  if (!mount) return {};
  return {member->version, folders(root, *mount, member->group)};
}

/// The sum of the values of the keys in a file with a key and a value in each line; absent if the file has none of the keys.
std::optional<double> sum_of(const fs::path& file, const std::vector<std::string>& keys) {
  std::optional<double> sum;
  for (const std::string& line : lines_of(read_text(file).value_or(""))) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && std::ranges::find(keys, words[0]) != keys.end()) {
      sum = sum.value_or(0) + std::strtod(words[1].c_str(), nullptr);
    }
  }
  return sum;
}

std::optional<double> quota_cpus(const fs::path& folder, int version) {
  if (version == 1) {
    const auto quota = read_integer(folder / "cpu.cfs_quota_us");
    const auto period = read_integer(folder / "cpu.cfs_period_us");
    if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
  }
  const std::vector<std::string> words = words_of(read_text(folder / "cpu.max").value_or(""));
  if (words.size() != 2 || words[0] == "max") return std::nullopt;
  const double period = std::strtod(words[1].c_str(), nullptr);
  return period > 0 ? std::optional(std::strtod(words[0].c_str(), nullptr) / period) : std::nullopt;
}

std::optional<double> throttled_seconds(const fs::path& folder, int version) {
  const auto time = sum_of(folder / "cpu.stat", {version == 2 ? "throttled_usec" : "throttled_time"});
  return time ? std::optional(*time / (version == 2 ? 1e6 : 1e9)) : std::nullopt;
}

// The first line of /proc/stat has the fields "cpu", user, nice, system, idle, iowait, irq, softirq, steal. The guest fields after
// steal are not read, because user and nice include them.
constexpr std::size_t steal_field = 8;

template <typename Number>
std::optional<Number> growth(const std::optional<Number>& before, const std::optional<Number>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

}  // namespace

Cgroup read_cgroup(const fs::path& root) {
  const Hierarchy hierarchy = hierarchy_of(root, "cpu");
  Cgroup cgroup;
  cgroup.version = hierarchy.version;
  for (const fs::path& folder : hierarchy.folders) {
    const std::optional<double> quota = quota_cpus(folder, *hierarchy.version);
    if (quota) cgroup.quota_cpus = std::min(cgroup.quota_cpus.value_or(*quota), *quota);
    const std::optional<double> throttled = throttled_seconds(folder, *hierarchy.version);
    if (throttled) cgroup.throttled_seconds = cgroup.throttled_seconds.value_or(0) + *throttled;
  }
  cgroup.memory_limit_bytes = read_memory_limit(root).limit_bytes;
  return cgroup;
}

// Version 1 writes a limit near 2^63 if there is none. The kernel reclaims pages of files before it ends a process.
MemoryLimit read_memory_limit(const fs::path& root) {
  constexpr std::int64_t no_limit = std::int64_t{1} << 60;
  const Hierarchy hierarchy = hierarchy_of(root, "memory");
  MemoryLimit lowest;
  for (const fs::path& folder : hierarchy.folders) {
    const bool is_new = *hierarchy.version == 2;
    const auto limit = read_integer(folder / (is_new ? "memory.max" : "memory.limit_in_bytes"));
    const auto used = read_integer(folder / (is_new ? "memory.current" : "memory.usage_in_bytes"));
    if (!limit || *limit >= no_limit) continue;
    lowest.limit_bytes = std::min(lowest.limit_bytes.value_or(*limit), *limit);
    if (!used) continue;
    const std::vector<std::string> cache = is_new ? std::vector<std::string>{"inactive_file", "active_file", "slab_reclaimable"}
                                                  : std::vector<std::string>{"total_inactive_file", "total_active_file"};
    const auto reclaimable = static_cast<std::int64_t>(sum_of(folder / "memory.stat", cache).value_or(0));
    const std::int64_t available = std::clamp<std::int64_t>(*limit - *used + reclaimable, 0, *limit);
    lowest.available_bytes = std::min(lowest.available_bytes.value_or(available), available);
  }
  return lowest;
}

InterferenceCounters read_interference_counters(const std::filesystem::path& root) {
  InterferenceCounters counters;
  const std::vector<std::string> lines = lines_of(read_text(root / "proc/stat").value_or(""));
  const std::vector<std::string> fields = lines.empty() ? std::vector<std::string>() : words_of(lines.front());
  if (fields.size() > steal_field && fields[0] == "cpu") {
    counters.total_ticks = 0;
    for (std::size_t i = 1; i <= steal_field; i++) *counters.total_ticks += std::strtoull(fields[i].c_str(), nullptr, 10);
    counters.steal_ticks = std::strtoull(fields[steal_field].c_str(), nullptr, 10);
  }
  counters.throttled_seconds = read_cgroup(root).throttled_seconds;
  return counters;
}

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after) {
  Interference interference;
  const auto steal_ticks = growth(before.steal_ticks, after.steal_ticks);
  const auto total_ticks = growth(before.total_ticks, after.total_ticks);
  if (steal_ticks && total_ticks && *total_ticks > 0) {
    interference.steal_percent = 100 * static_cast<double>(*steal_ticks) / static_cast<double>(*total_ticks);
    interference.tick_percent = 100 / static_cast<double>(*total_ticks);
  }
  interference.throttled_seconds = growth(before.throttled_seconds, after.throttled_seconds);
  return interference;
}

double seconds_of_ticks(std::uint64_t ticks) { return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)); }

}  // namespace ecbench
