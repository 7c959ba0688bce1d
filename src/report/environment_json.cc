#include "report/environment_json.h"

#include <algorithm>

#include "benchmark/environment/system_files.h"
#include "benchmark/warnings/fitness.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json build_json(const BuildInfo& build) {
  return {{"version", build.version},       {"git_revision", build.git_revision},
          {"compiler", build.compiler},     {"compiler_flags", build.compiler_flags},
          {"build_type", build.build_type}, {"optimised", build.optimised},
          {"sanitized", build.sanitized},   {"client_requests", build.client_requests}};
}

Json caches_json(const std::vector<Cache>& caches) {
  Json list = Json::array();
  for (const Cache& cache : caches) {
    list.push_back({{"level", cache.level},
                    {"type", or_null(cache.type)},
                    {"size_bytes", cache.size_bytes},
                    {"ways", or_null(cache.ways)},
                    {"shared_cpus", or_null(cache.shared_cpus)}});
  }
  return list;
}

Json cpu_json(const CpuInfo& cpu) {
  return {{"vendor", or_null(cpu.vendor)},
          {"model_name", or_null(cpu.model_name)},
          {"family", or_null(cpu.family)},
          {"model", or_null(cpu.model)},
          {"stepping", or_null(cpu.stepping)},
          {"microcode", or_null(cpu.microcode)},
          {"flags", cpu.flags},
          {"online_cpus", or_null(format_cpu_list(cpu.online))},
          {"online_cpu_count", cpu.online.empty() ? Json(nullptr) : Json(cpu.online.size())},
          {"smt", or_null(cpu.smt)},
          {"governor", or_null(cpu.governor)},
          {"turbo", or_null(cpu.turbo)},
          {"frequency_min_khz", or_null(cpu.frequency_min_khz)},
          {"frequency_max_khz", or_null(cpu.frequency_max_khz)},
          {"hypervisor", or_null(cpu.hypervisor)},
          {"hypervisor_vendor", or_null(cpu.hypervisor_vendor)},
          {"caches", caches_json(cpu.caches)}};
}

Json system_json(const SystemInfo& system) {
  Json nodes = Json::array();
  for (const NumaNode& node : system.numa_nodes) nodes.push_back({{"node", node.node}, {"cpus", or_null(node.cpus)}});
  return {{"kernel_release", or_null(system.kernel_release)},
          {"libc", or_null(system.libc)},
          {"clocksource", or_null(system.clocksource)},
          {"transparent_hugepages", or_null(system.transparent_hugepages)},
          {"aslr", or_null(system.aslr)},
          {"load_average", or_null(system.load_average)},
          {"steal_seconds_since_boot", or_null(system.steal_seconds)},
          {"allowed_cpus", or_null(format_cpu_list(system.allowed_cpus))},
          {"numa_nodes", nodes}};
}

Json shared_objects_json(const std::vector<SharedObject>& objects) {
  Json list = Json::array();
  for (const SharedObject& object : objects) {
    list.push_back({{"name", object.name},
                    {"path", object.path},
                    {"version", or_null(object.version)},
                    {"build_id", or_null(object.build_id)},
                    {"debug_info", or_null(object.debug_info)}});
  }
  return list;
}

Json interference_json(const std::optional<Interference>& run) {
  if (!run) return nullptr;
  return {{"steal_percent", or_null(run->steal_percent)}, {"throttled_seconds", or_null(run->throttled_seconds)}};
}

/// The kind of the cores that ecbench uses: "fastest", "slower" or "fastest,slower"; null if no kinds are known.
Json core_kind_json(const Environment& environment) {
  const std::vector<int>& fastest = environment.cpu.fastest;
  const std::vector<int>& used = environment.pinned_cpus.empty() ? environment.system.allowed_cpus : environment.pinned_cpus;
  if (fastest.size() == environment.cpu.online.size() || used.empty()) return nullptr;
  const auto is_fast = [&](int cpu) { return std::ranges::find(fastest, cpu) != fastest.end(); };
  if (std::ranges::all_of(used, is_fast)) return "fastest";
  return std::ranges::any_of(used, is_fast) ? "fastest,slower" : "slower";
}

Json texts(const Remarks& remarks) {
  Json list = Json::array();
  for (const Remark& remark : remarks) list.push_back(remark.text);
  return list;
}

}  // namespace

nlohmann::ordered_json environment_json(const Environment& environment) {
  const Cgroup& cgroup = environment.cgroup;
  Json json{{"date_utc", environment.date_utc},
            {"argv", environment.argv},
            {"threads", environment.threads},
            {"pinned_cpus", or_null(format_cpu_list(environment.pinned_cpus))},
            {"core_kind", core_kind_json(environment)},
            {"ecbench", build_json(environment.build)},
            {"cpu", cpu_json(environment.cpu)},
            {"system", system_json(environment.system)},
            {"cgroup",
             {{"version", or_null(cgroup.version)},
              {"quota_cpus", or_null(cgroup.quota_cpus)},
              {"throttled_seconds", or_null(cgroup.throttled_seconds)},
              {"memory_limit_bytes", or_null(cgroup.memory_limit_bytes)}}},
            {"during_run", interference_json(environment.during_run)},
            {"kernels", environment.kernels},
            {"shared_objects", shared_objects_json(environment.shared_objects)},
            {"unfit", texts(unfit(environment))}};
  if (environment.fake) json["fake"] = true;
  return json;
}

std::string environment_text(const Environment& environment) {
  return environment_json(environment).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ecbench
