// The CPU model, its features and caches, and how its frequency is controlled.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

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

}  // namespace ecbench
