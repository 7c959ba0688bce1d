#include "benchmark/environment/environment.h"

#include <pwd.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace ecbench {

constexpr int most_cpus = 1 << 16;

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return std::nullopt;
  return text.erase(text.find_last_not_of(" \t\n\r") + 1);
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& file) {
  const std::optional<std::string> text = read_text(file);
  std::int64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::istringstream in(text);
  for (std::string range; std::getline(in, range, ',');) {
    int first = 0;
    const char* end = range.data() + range.size();
    const auto [rest, error] = std::from_chars(range.data(), end, first);
    if (error != std::errc()) continue;
    int last = first;
    if (rest != end && *rest == '-') std::from_chars(rest + 1, end, last);
    for (int cpu = first; cpu <= last && cpu < most_cpus; cpu++) cpus.push_back(cpu);
  }
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size(); i++) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) last++;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text.append(1, '-').append(std::to_string(cpus[last]));
    i = last;
  }
  return text;
}

namespace {

namespace fs = std::filesystem;

/// The word in brackets: "madvise" for "always [madvise] never".
std::optional<std::string> chosen_word(const std::optional<std::string>& text) {
  const std::size_t begin = text ? text->find('[') : std::string::npos;
  const std::size_t end = begin == std::string::npos ? begin : text->find(']', begin);
  return end == std::string::npos ? std::nullopt : std::optional(text->substr(begin + 1, end - begin - 1));
}

std::optional<std::string> read_aslr(const fs::path& root) {
  const std::string personality = read_text(root / "proc/self/personality").value_or("0");
  if ((std::strtoul(personality.c_str(), nullptr, 16) & ADDR_NO_RANDOMIZE) != 0) return "off";
  const std::optional<std::int64_t> setting = read_integer(root / "proc/sys/kernel/randomize_va_space");
  if (!setting) return std::nullopt;
  return *setting == 0 ? "off" : *setting == 1 ? "partial" : "full";
}

std::optional<std::array<double, 3>> read_load_average(const fs::path& root) {
  std::array<double, 3> load{};
  const std::string text = read_text(root / "proc/loadavg").value_or("");
  if (std::sscanf(text.c_str(), "%lf %lf %lf", &load[0], &load[1], &load[2]) != 3) return std::nullopt;
  return load;
}

/// The value in a line "TITLE:\tVALUE" of a status file below /proc; "" if the file has no such line.
std::string status_value(const fs::path& file, const std::string& title) {
  for (const std::string& line : lines_of(read_text(file).value_or(""))) {
    if (line.starts_with(title)) return trimmed(line.substr(title.size()));
  }
  return "";
}

/// The parent process; 0 for the first process of the PID namespace.
int parent_of(const fs::path& root, int process) {
  return std::atoi(status_value(root / "proc" / std::to_string(process) / "status", "PPid:").c_str());
}

bool is_ancestor(const fs::path& root, int process) {
  int ancestor = getpid();
  while (ancestor > 0 && ancestor != process) ancestor = parent_of(root, ancestor);
  return ancestor > 0;
}

/// The directory that scripts/ecbench/measure/machine.py locks while a mode measures.
fs::path lock_folder() {
  if (const char* given = std::getenv("ECBENCH_LOCK_DIR"); given != nullptr && *given != '\0') return given;
  return access("/run/lock", R_OK) == 0 ? "/run/lock" : "/tmp";
}

std::optional<int> read_other_measurement(const fs::path& root) {
  struct stat folder {};
  if (stat(lock_folder().c_str(), &folder) != 0) return std::nullopt;
  for (const std::string& line : lines_of(read_text(root / "proc/locks").value_or(""))) {
    int process = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    unsigned long inode = 0;  // NOLINT(google-runtime-int): the type of %lu
    const int found =
        std::sscanf(line.c_str(), "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &process, &major_number, &minor_number, &inode);
    if (found == 4 && makedev(major_number, minor_number) == folder.st_dev && inode == folder.st_ino && process > 0 &&
        !is_ancestor(root, process)) {
      return process;
    }
  }
  return std::nullopt;
}

std::vector<NumaNode> read_numa_nodes(const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  std::vector<NumaNode> nodes;
  for (const int node : parse_cpu_list(read_text(folder / "online").value_or(""))) {
    nodes.push_back({node, read_text(folder / ("node" + std::to_string(node)) / "cpulist").value_or("")});
  }
  return nodes;
}

const std::string homes = "/home/";

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_file_name(const std::string& text, std::size_t begin) {
  while (begin < text.size() && (in_word(text[begin]) || text[begin] == '-' || text[begin] == '.')) begin++;
  return begin;
}

/// Replaces `home` by ~, except where `home` is only the beginning of a longer file name.
std::string without_home(std::string text, const std::string& home) {
  for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1)) {
    const std::size_t end = at + home.size();
    if (end_of_file_name(text, end) == end) text.replace(at, home.size(), 1, '~');
  }
  return text;
}

std::string without_homes_of_others(std::string text) {
  for (std::size_t at = text.find(homes); at != std::string::npos; at = text.find(homes, at + 1)) {
    const std::size_t end = end_of_file_name(text, at + homes.size());
    if (end > at + homes.size()) text.replace(at, end - at, 1, '~');
  }
  return text;
}

std::string without_word(std::string text, const std::string& word, const std::string& replacement) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
    if (whole) text.replace(at, word.size(), replacement);
  }
  return text;
}

/// Longer paths are replaced before the paths that they contain: /home/group/me before /home/group, and /home/root before /root.
std::string without_homes(std::string text, const PrivateNames& names) {
  for (const std::string& home : names.homes) {
    if (home.starts_with(homes)) text = without_home(text, home);
  }
  text = without_homes_of_others(text);
  for (const std::string& home : names.homes) text = without_home(text, home);
  return without_home(text, "/root");
}

std::string without_words(std::string text, const PrivateNames& names) {
  for (const std::string& host : names.hosts) text = without_word(text, host, "HOST");
  for (const std::string& user : names.users) text = without_word(text, user, "USER");
  return text;
}

void add(std::vector<std::string>& names, const char* name) {
  std::string text = name == nullptr ? "" : name;
  while (text.ends_with('/')) text.pop_back();
  if (!text.empty() && std::ranges::find(names, text) == names.end()) names.push_back(text);
}

}  // namespace

// Reads /proc/thread-self/status, because sched_getaffinity() with a cpu_set_t fails on machines with more than 1024 CPUs.
std::vector<int> read_allowed_cpus(const fs::path& root) {
  return parse_cpu_list(status_value(root / "proc/thread-self/status", "Cpus_allowed_list:"));
}

SystemInfo read_system_info(const fs::path& root) {
  SystemInfo info;
  info.kernel_release = read_text(root / "proc/sys/kernel/osrelease");
#ifdef __GLIBC__
  info.libc = std::string("glibc ") + gnu_get_libc_version();
#endif
  info.clocksource = read_text(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  info.transparent_hugepages = chosen_word(read_text(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  info.aslr = read_aslr(root);
  info.load_average = read_load_average(root);
  info.other_measurement = read_other_measurement(root);
  if (const auto ticks = read_interference_counters(root).steal_ticks) info.steal_seconds = seconds_of_ticks(*ticks);
  info.allowed_cpus = read_allowed_cpus(root);
  info.numa_nodes = read_numa_nodes(root);
  return info;
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::string text(sizeof("2025-01-31T23:59:59Z") - 1, '\0');
  std::strftime(text.data(), text.size() + 1, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root) {
  const PrivateNames names = private_names();
  Environment environment{
      .fake = is_fake(),
      .date_utc = now_utc(),
      .build = build_info(),
      .cpu = read_cpu_info(root),
      .system = read_system_info(root),
      .cgroup = read_cgroup(root),
      .shared_objects = codec_objects(),
  };
  for (const std::string& argument : arguments) environment.argv.push_back(publishable_argument(argument, names));
  environment.build.compiler_flags = publishable(environment.build.compiler_flags, names);
  if (auto& release = environment.system.kernel_release) release = publishable(*release, names);
  for (SharedObject& object : environment.shared_objects) object.path = publishable(object.path, names);
  return environment;
}

PrivateNames private_names() {
  PrivateNames names;
  add(names.homes, std::getenv("HOME"));
  add(names.users, std::getenv("USER"));
  add(names.users, std::getenv("LOGNAME"));
  add(names.users, std::getenv("SUDO_USER"));
  if (const passwd* user = getpwuid(geteuid())) {
    add(names.homes, user->pw_dir);
    add(names.users, user->pw_name);
  }
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) {
    add(names.hosts, host.data());
    add(names.hosts, std::string(host.data()).substr(0, std::string(host.data()).find('.')).c_str());
  }
  return names;
}

// Hosts are often named after their users (annas-laptop). Therefore the user's name is replaced even if it is only a part of a word
// in the host's name. However, a user's name of fewer than three letters is replaced only if it is a whole word.
std::string host_name(const PrivateNames& names) {
  constexpr std::size_t fewest_letters = 3;
  const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  std::string host = names.hosts.empty() ? "" : names.hosts.back();
  for (const std::string& user : names.users) {
    if (user.size() < fewest_letters) {
      host = without_word(host, user, "USER");
      continue;
    }
    std::string rest = std::exchange(host, "");
    const auto search = [&] { return std::search(rest.begin(), rest.end(), user.begin(), user.end(), equal); };
    for (auto found = search(); found != rest.end(); found = search()) {
      host.append(rest.begin(), found) += "USER";
      rest.erase(rest.begin(), found + std::ssize(user));
    }
    host += rest;
  }
  return host;
}

std::string publishable(const std::string& text, const PrivateNames& names) {
  return without_words(without_homes(text, names), names);
}

std::string publishable_argument(const std::string& argument, const PrivateNames& names) {
  const std::string text = without_homes(argument, names);
  const std::size_t equals = text.find('=');
  const std::size_t kept = equals != std::string::npos ? equals + 1 : text.starts_with('-') ? text.size() : 0;
  return text.substr(0, kept) + without_words(text.substr(kept), names);
}

}  // namespace ecbench
