// Small files under /proc and /sys, as paths or texts, for tests. A missing or unreadable file gives an absent value.

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/codec_libraries/codec_libraries.h"

namespace ecbench {

/// The directory with proc and sys. fake_ecbench, a program of the tests, has an invented one.
std::filesystem::path machine_root();

/// True if times are invented.
bool is_fake();

// The CPU quota, the memory limit and the throttled time, which measured times do not show, of this process's control group
// (version 1 or 2).

struct Cgroup {
  /// 1 or 2, from the hierarchy with the cpu controller; absent if none is visible.
  std::optional<int> version;
  /// The lowest of the group and its ancestors, in CPUs.
  std::optional<double> quota_cpus;
  /// Sum over the group and its ancestors, since they were created.
  std::optional<double> throttled_seconds;
  /// The lowest of the group and its ancestors.
  std::optional<std::int64_t> memory_limit_bytes;
};

/// The lowest values of the group and its ancestors. The page cache of a group is available memory.
struct MemoryLimit {
  std::optional<std::int64_t> limit_bytes, available_bytes;
};

Cgroup read_cgroup(const std::filesystem::path& root);
MemoryLimit read_memory_limit(const std::filesystem::path& root);

// The CPU time that a run lost, stolen by the hypervisor or throttled: the difference of counters before and after.

struct InterferenceCounters {
  std::optional<std::uint64_t> steal_ticks;  ///< sum over all CPUs since boot
  std::optional<std::uint64_t> total_ticks;  ///< sum of stolen, busy and idle ticks
  std::optional<double> throttled_seconds;
};

struct Interference {
  /// Share of the time of all CPUs; absent if unknown, or no tick has passed.
  std::optional<double> steal_percent;
  std::optional<double> throttled_seconds;
  /// One tick of all ticks: steal_percent can be too high by this, because a stolen tick may have begun before the run.
  double tick_percent = 0;
};

InterferenceCounters read_interference_counters(const std::filesystem::path& root = machine_root());

Interference interference_between(const InterferenceCounters& before, const InterferenceCounters& after);

double seconds_of_ticks(std::uint64_t ticks);

// The CPU model, its features and caches, and how its frequency is controlled.

struct Cache {
  int level = 0;
  std::string type;  ///< Data, Instruction or Unified
  std::uint64_t size_bytes = 0;
  std::optional<std::int64_t> ways;
  std::string shared_cpus;  ///< the CPUs that share this cache, in Linux's notation: "0-1"
};

struct CpuInfo {
  std::optional<std::string> vendor, model_name, microcode;
  std::optional<std::int64_t> family, model, stepping;  ///< ARM: none, the part, and 16 * variant + revision
  std::vector<std::string> flags;                       ///< the flags of /proc/cpuinfo that codecs use to choose a kernel
  std::vector<int> online;
  std::vector<int> fastest;   ///< the online CPUs of the fastest kind; all if no kinds are known
  std::vector<Cache> caches;  ///< the caches of the first online CPU
  std::optional<bool> smt;    ///< true if sibling threads are online
  /// All online CPUs, each name once, separated by commas; absent on most virtual machines.
  std::optional<std::string> governor;
  std::optional<bool> turbo;
  std::optional<std::int64_t> frequency_min_khz, frequency_max_khz;  ///< range that the governor may use, on the first online CPU
  std::optional<bool> hypervisor;                                    ///< true if the CPU reports that it is virtual
  std::optional<std::string> hypervisor_vendor;                      ///< the signature at cpuid leaf 0x40000000, e.g. KVMKVMKVM
};

CpuInfo read_cpu_info(const std::filesystem::path& root);

// Which CPUs are of the fastest kind, and which are siblings on one core. scripts/ecbench/measure/machine.py has the same rules.

/// All `cpus` if the kernel does not say that they differ.
std::vector<int> fastest_kind(const std::filesystem::path& root, const std::vector<int>& cpus);

/// At most `count` of the CPUs, sorted: of the fastest kind first, and one of each core before its siblings; among equal ones those
/// with the highest numbers, because the kernel mostly uses CPUs with low numbers for its work.
std::vector<int> quiet_cpus(const std::filesystem::path& root, std::vector<int> cpus, std::size_t count);

/// Without trailing white space.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// Absent if there is none.
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& text);

std::string trimmed(const std::string& text);

/// "0-2,5" is the CPUs 0, 1, 2 and 5.
std::vector<int> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

struct NumaNode {
  int node = 0;
  std::string cpus;  ///< as "0-1"
};

struct SystemInfo {
  std::optional<std::string> kernel_release;
  std::optional<std::string> libc;  ///< name and version
  std::optional<std::string> clocksource;
  std::optional<std::string> transparent_hugepages;  ///< always, madvise or never
  /// off, partial (all except the heap) or full; also off if only this process has none (setarch -R).
  std::optional<std::string> aslr;
  std::optional<std::array<double, 3>> load_average;  ///< over 1, 5 and 15 minutes
  std::optional<int> other_measurement;               ///< process of another mode that holds the lock of measurements
  std::optional<double> steal_seconds;                ///< sum over all CPUs since boot
  std::vector<int> allowed_cpus;                      ///< the CPUs that affinity and cpuset allow for the calling thread
  std::vector<NumaNode> numa_nodes;
};

/// The CPUs that affinity and cpuset allow for the calling thread; none if they are unknown.
std::vector<int> read_allowed_cpus(const std::filesystem::path& root);

SystemInfo read_system_info(const std::filesystem::path& root);

struct BuildInfo {
  std::string version;
  /// The git revision when make last ran, or $ECBENCH_GIT_REVISION; "-dirty" at the end if tracked files differed, "unknown"
  /// outside a git tree.
  std::string git_revision;
  std::string compiler;  ///< id and version
  std::string compiler_flags;
  std::string build_type;
  bool optimised = false;        ///< true if the compiler defines __OPTIMIZE__; the build type does not matter
  bool sanitized = false;        ///< built with a sanitizer, which makes code several times slower
  bool client_requests = false;  ///< built with valgrind/callgrind.h, so that callgrind can be restricted to the timed loops
};

BuildInfo build_info();

// Hardware, software and settings of a measurement, without anything that identifies the user or the host.

/// 2025-01-31T23:59:59Z
std::string now_utc();

/// Unknown values are absent.
struct Environment {
  bool fake = false;  ///< times are invented: see is_fake()
  std::vector<std::string> argv;
  std::string date_utc;  ///< 2025-01-31T23:59:59Z
  BuildInfo build;
  CpuInfo cpu;
  SystemInfo system;
  Cgroup cgroup;
  std::vector<SharedObject> shared_objects;  ///< plugins and codec libraries that are loaded
  int threads = 1;                           ///< number of threads that run the erasure code at the same time
  std::vector<int> pinned_cpus;              ///< thread i runs on pinned_cpus[i % size()]; empty if ecbench does not pin threads
  /// Plugin → the kernel of its first technique with default parameters; empty without --environment.
  std::map<std::string, std::string> kernels;
  std::optional<Interference> during_run;  ///< absent before the run
};

/// Call it after the plugins are loaded. The caller sets threads, pinned_cpus, kernels and during_run. `root` has proc and sys.
Environment read_environment(const std::vector<std::string>& arguments, const std::filesystem::path& root = machine_root());

// So that results can be published unchanged: $HOME, the home directory in the password file, /root and /home/ANY become ~; the
// name of the user becomes USER, and that of the host, also only up to the first dot, HOST, if they are whole words. In an
// argument of a command line, USER and HOST are used only after the first =, or, without a =, if it does not begin with -: names of
// options and parameters stay.

struct PrivateNames {
  std::vector<std::string> homes;
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};

PrivateNames private_names();

/// Up to the first dot, with USER for the user's name; "" if unknown.
std::string host_name(const PrivateNames& names);

std::string publishable(const std::string& text, const PrivateNames& names);

std::string publishable_argument(const std::string& argument, const PrivateNames& names);

}  // namespace ecbench
