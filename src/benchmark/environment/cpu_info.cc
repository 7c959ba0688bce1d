#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "benchmark/environment/environment.h"
#include "erasure_code/error.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr double same_kind = 0.9;  // CPUs of one kind can differ by this share in their greatest frequency (favoured cores)

fs::path folder_of(const fs::path& root, int cpu) { return root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)); }

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

constexpr std::array codec_flags{
    "sse2",    "ssse3",    "sse4_1",   "sse4_2",   "pclmulqdq",   "avx",      "avx2",  "bmi2",  "gfni", "vaes", "vpclmulqdq",
    "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vbmi", "avx_vnni", "asimd", "pmull", "sve",  "sve2", "altivec",
};

using Fields = std::map<std::string, std::string>;

/// The fields of each processor in /proc/cpuinfo; at least one element.
std::vector<Fields> read_processors(const fs::path& root) {
  std::vector<Fields> processors(1);
  for (const std::string& line : lines_of(read_text(root / "proc/cpuinfo").value_or(""))) {
    if (trimmed(line).empty() && !processors.back().empty()) processors.emplace_back();
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) processors.back()[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }
  return processors;
}

std::optional<std::string> text_field(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> integer_field(const Fields& fields, const std::string& name) {
  const std::string text = text_field(fields, name).value_or("");
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

/// A number of C's notation, such as 0xd0c.
std::optional<std::int64_t> c_number_field(const Fields& fields, const std::string& name) {
  const std::string text = text_field(fields, name).value_or("");
  char* end = nullptr;
  const std::int64_t number = std::strtol(text.c_str(), &end, 0);
  return text.empty() || *end != 0 || number < 0 || number > 0xffff ? std::nullopt : std::optional(number);
}

// The names that lscpu prints.
const std::map<std::int64_t, std::string> arm_vendors{
    {0x41, "ARM"},    {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x46, "FUJITSU"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"}, {0x50, "APM"},       {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x56, "Marvell"},
    {0x61, "Apple"},  {0x6d, "Microsoft"}, {0x70, "Phytium"},  {0xc0, "Ampere"},
};
const std::map<std::pair<std::int64_t, std::int64_t>, std::string> arm_parts{
    {{0x41, 0xd03}, "Cortex-A53"},  {{0x41, 0xd04}, "Cortex-A35"},   {{0x41, 0xd05}, "Cortex-A55"},
    {{0x41, 0xd07}, "Cortex-A57"},  {{0x41, 0xd08}, "Cortex-A72"},   {{0x41, 0xd09}, "Cortex-A73"},
    {{0x41, 0xd0a}, "Cortex-A75"},  {{0x41, 0xd0b}, "Cortex-A76"},   {{0x41, 0xd0c}, "Neoverse-N1"},
    {{0x41, 0xd0d}, "Cortex-A77"},  {{0x41, 0xd40}, "Neoverse-V1"},  {{0x41, 0xd41}, "Cortex-A78"},
    {{0x41, 0xd44}, "Cortex-X1"},   {{0x41, 0xd46}, "Cortex-A510"},  {{0x41, 0xd47}, "Cortex-A710"},
    {{0x41, 0xd48}, "Cortex-X2"},   {{0x41, 0xd49}, "Neoverse-N2"},  {{0x41, 0xd4f}, "Neoverse-V2"},
    {{0x41, 0xd84}, "Neoverse-V3"}, {{0x41, 0xd8e}, "Neoverse-N3"},  {{0x43, 0x0af}, "ThunderX2-99xx"},
    {{0x46, 0x001}, "A64FX"},       {{0x48, 0xd01}, "TaiShan-v110"}, {{0xc0, 0xac3}, "Ampere-1"},
    {{0xc0, 0xac4}, "Ampere-1a"},
};

/// On ARM, /proc/cpuinfo has only numbers: implementer, part, variant and revision. A machine can have several kinds of cores: the
/// name has all, and the numbers are absent if they differ.
void describe_arm(CpuInfo& info, const std::vector<Fields>& processors) {
  std::set<std::string> vendors, names;
  std::set<std::int64_t> parts, steppings;
  for (const Fields& fields : processors) {
    const auto implementer = c_number_field(fields, "CPU implementer");
    const auto part = c_number_field(fields, "CPU part");
    if (!implementer || !part) continue;
    const auto known = arm_vendors.find(*implementer);
    const std::string vendor = known == arm_vendors.end() ? fields.at("CPU implementer") : known->second;
    vendors.insert(vendor);
    const auto name = arm_parts.find({*implementer, *part});
    names.insert(name != arm_parts.end() ? name->second : vendor + " part " + fields.at("CPU part"));
    parts.insert(*part);
    steppings.insert(c_number_field(fields, "CPU variant").value_or(0) * 16 + c_number_field(fields, "CPU revision").value_or(0));
  }
  if (parts.empty()) return;
  info.vendor = joined(vendors, ",");
  info.model_name = joined(names, ",");
  info.model = parts.size() == 1 ? std::optional(*parts.begin()) : std::nullopt;
  info.stepping = parts.size() == 1 && steppings.size() == 1 ? std::optional(*steppings.begin()) : std::nullopt;
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
  return governors.empty() ? std::nullopt : std::optional(joined(governors, ","));
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

CpuInfo read_cpu_info(const fs::path& root) {
  const std::vector<Fields> processors = read_processors(root);
  const Fields& fields = processors.front();
  const fs::path cpus = root / "sys/devices/system/cpu";
  CpuInfo info;
  info.vendor = text_field(fields, "vendor_id");
  info.model_name = text_field(fields, "model name");
  info.microcode = text_field(fields, "microcode");
  info.family = integer_field(fields, "cpu family");
  info.model = integer_field(fields, "model");
  info.stepping = integer_field(fields, "stepping");
  describe_arm(info, processors);

  const std::optional<std::string> x86_flags = text_field(fields, "flags");
  const std::vector<std::string> all_flags = words_of(x86_flags ? *x86_flags : text_field(fields, "Features").value_or(""));
  const auto has_flag = [&](const std::string& flag) { return std::ranges::find(all_flags, flag) != all_flags.end(); };
  std::ranges::copy_if(codec_flags, std::back_inserter(info.flags), has_flag);
  if (x86_flags) info.hypervisor = has_flag("hypervisor");
  if (info.hypervisor.value_or(false)) info.hypervisor_vendor = read_hypervisor_vendor();

  info.online = parse_cpu_list(read_text(cpus / "online").value_or(""));
  info.fastest = fastest_kind(root, info.online);
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
