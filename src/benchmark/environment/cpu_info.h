// What the CPU is and how its clock is governed.

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
  std::string shared_cpus;  ///< the CPUs that share it, as "0-1"
};

struct CpuInfo {
  std::optional<std::string> vendor, model_name, microcode;
  std::optional<std::int64_t> family, model, stepping;
  std::vector<std::string> flags;  ///< of /proc/cpuinfo, only those that codecs dispatch on
  std::vector<int> online;
  std::vector<Cache> caches;  ///< of the first CPU that is online
  std::optional<bool> smt;    ///< whether sibling threads are online
  /// Of every online CPU; several, separated by commas, where they differ. Virtual machines mostly show none.
  std::optional<std::string> governor;
  std::optional<bool> turbo;
  std::optional<std::int64_t> frequency_min_khz, frequency_max_khz;  ///< that the governor may choose between, on the first CPU
  std::optional<bool> hypervisor;                                    ///< whether the CPU says that it is a virtual one
  std::optional<std::string> hypervisor_vendor;                      ///< the signature at cpuid leaf 0x40000000, e.g. KVMKVMKVM
};

CpuInfo read_cpu_info(const std::filesystem::path& root);

}  // namespace ecbench
