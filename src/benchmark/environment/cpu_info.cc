#include "benchmark/environment/cpu_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>

#include "benchmark/environment/system_files.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array codec_flags{
    "sse2",    "ssse3",    "sse4_1",   "sse4_2",   "pclmulqdq",   "avx",      "avx2",  "bmi2",  "gfni", "vaes", "vpclmulqdq",
    "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vbmi", "avx_vnni", "asimd", "pmull", "sve",  "sve2", "altivec",
};

/// The fields of the first processor in /proc/cpuinfo.
std::map<std::string, std::string> first_processor(const fs::path& root) {
  std::map<std::string, std::string> fields;
  for (const std::string& line : lines_of(read_text(root / "proc/cpuinfo").value_or(""))) {
    if (trimmed(line).empty()) break;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) fields[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }
  return fields;
}

std::optional<std::string> text_field(const std::map<std::string, std::string>& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> integer_field(const std::map<std::string, std::string>& fields, const std::string& name) {
  const std::string text = text_field(fields, name).value_or("");
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

/// Converts a cache size of sysfs, such as "512K" or "32M", to bytes.
std::uint64_t cache_size_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const char unit = rest == text.data() + text.size() ? ' ' : *rest;
  return error != std::errc() ? 0 : number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

std::vector<Cache> read_caches(const fs::path& cpu) {
  std::vector<Cache> caches;
  for (int index = 0;; index++) {
    const fs::path folder = cpu / "cache" / ("index" + std::to_string(index));
    const std::optional<std::int64_t> level = read_integer(folder / "level");
    if (!level) return caches;
    caches.push_back({.level = static_cast<int>(*level),
                      .type = read_text(folder / "type").value_or(""),
                      .size_bytes = cache_size_bytes(read_text(folder / "size").value_or("")),
                      .ways = read_integer(folder / "ways_of_associativity"),
                      .shared_cpus = read_text(folder / "shared_cpu_list").value_or("")});
  }
}

std::optional<std::string> read_governor(const fs::path& cpus, const std::vector<int>& online) {
  std::set<std::string> governors;
  for (const int cpu : online) {
    if (const auto governor = read_text(cpus / ("cpu" + std::to_string(cpu)) / "cpufreq/scaling_governor"))
      governors.insert(*governor);
  }
  std::string joined;
  for (const std::string& governor : governors) joined += (joined.empty() ? "" : ",") + governor;
  return joined.empty() ? std::nullopt : std::optional(joined);
}

/// True if turbo is enabled. The driver intel_pstate has its own file, no_turbo. In this file, 1 means that turbo is disabled.
std::optional<bool> read_turbo(const fs::path& cpus) {
  if (const auto no_turbo = read_integer(cpus / "intel_pstate/no_turbo")) return *no_turbo == 0;
  if (const auto boost = read_integer(cpus / "cpufreq/boost")) return *boost != 0;
  return std::nullopt;
}

std::optional<std::string> read_hypervisor_vendor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned leaf = 0;
  std::array<unsigned, 3> signature{};
  __cpuid(0x40000000, leaf, signature[0], signature[1], signature[2]);
  std::array<char, sizeof(signature) + 1> text{};
  std::memcpy(text.data(), signature.data(), sizeof(signature));
  const std::string vendor = trimmed(text.data());
  const bool printable = std::ranges::all_of(vendor, [](char c) { return c >= ' ' && c <= '~'; });
  if (!vendor.empty() && printable) return vendor;
#endif
  return std::nullopt;
}

}  // namespace

CpuInfo read_cpu_info(const fs::path& root) {
  const std::map<std::string, std::string> fields = first_processor(root);
  const fs::path cpus = root / "sys/devices/system/cpu";
  CpuInfo info;
  info.vendor = text_field(fields, "vendor_id");
  info.model_name = text_field(fields, "model name");
  info.microcode = text_field(fields, "microcode");
  info.family = integer_field(fields, "cpu family");
  info.model = integer_field(fields, "model");
  info.stepping = integer_field(fields, "stepping");

  const std::optional<std::string> x86_flags = text_field(fields, "flags");
  const std::vector<std::string> all_flags = words_of(x86_flags ? *x86_flags : text_field(fields, "Features").value_or(""));
  const auto has_flag = [&](const std::string& flag) { return std::ranges::find(all_flags, flag) != all_flags.end(); };
  std::ranges::copy_if(codec_flags, std::back_inserter(info.flags), has_flag);
  if (x86_flags) info.hypervisor = has_flag("hypervisor");
  if (info.hypervisor.value_or(false)) info.hypervisor_vendor = read_hypervisor_vendor();

  info.online = parse_cpu_list(read_text(cpus / "online").value_or(""));
  const fs::path first = cpus / ("cpu" + std::to_string(info.online.empty() ? 0 : info.online.front()));
  info.caches = read_caches(first);
  if (const auto active = read_integer(cpus / "smt/active")) info.smt = *active != 0;
  info.governor = read_governor(cpus, info.online);
  info.turbo = read_turbo(cpus);
  info.frequency_min_khz = read_integer(first / "cpufreq/scaling_min_freq");
  info.frequency_max_khz = read_integer(first / "cpufreq/scaling_max_freq");
  return info;
}

}  // namespace ecbench
