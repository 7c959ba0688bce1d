#include "report/json.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "benchmark/profiling/profiling.h"
#include "benchmark/warnings/remarks.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/names.h"
#include "report/columns.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

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
                    {"type", known(cache.type)},
                    {"size_bytes", cache.size_bytes},
                    {"ways", known(cache.ways)},
                    {"shared_cpus", known(cache.shared_cpus)}});
  }
  return list;
}

Json cpu_json(const CpuInfo& cpu) {
  return {{"vendor", known(cpu.vendor)},
          {"model_name", known(cpu.model_name)},
          {"family", known(cpu.family)},
          {"model", known(cpu.model)},
          {"stepping", known(cpu.stepping)},
          {"microcode", known(cpu.microcode)},
          {"flags", cpu.flags},
          {"online_cpus", known(format_cpu_list(cpu.online))},
          {"online_cpu_count", known(!cpu.online.empty(), cpu.online.size())},
          {"smt", known(cpu.smt)},
          {"governor", known(cpu.governor)},
          {"turbo", known(cpu.turbo)},
          {"frequency_min_khz", known(cpu.frequency_min_khz)},
          {"frequency_max_khz", known(cpu.frequency_max_khz)},
          {"hypervisor", known(cpu.hypervisor)},
          {"hypervisor_vendor", known(cpu.hypervisor_vendor)},
          {"caches", caches_json(cpu.caches)}};
}

Json system_json(const SystemInfo& system) {
  Json nodes = Json::array();
  for (const NumaNode& node : system.numa_nodes) nodes.push_back({{"node", node.node}, {"cpus", known(node.cpus)}});
  return {{"kernel_release", known(system.kernel_release)},
          {"libc", known(system.libc)},
          {"clocksource", known(system.clocksource)},
          {"transparent_hugepages", known(system.transparent_hugepages)},
          {"aslr", known(system.aslr)},
          {"load_average", known(system.load_average)},
          {"steal_seconds_since_boot", known(system.steal_seconds)},
          {"allowed_cpus", known(format_cpu_list(system.allowed_cpus))},
          {"numa_nodes", nodes}};
}

Json shared_objects_json(const std::vector<SharedObject>& objects) {
  Json list = Json::array();
  for (const SharedObject& object : objects) {
    list.push_back({{"name", object.name},
                    {"path", object.path},
                    {"version", known(object.version)},
                    {"build_id", known(object.build_id)},
                    {"debug_info", known(object.debug_info)}});
  }
  return list;
}

Json interference_json(const std::optional<Interference>& run) {
  if (!run) return nullptr;
  return {{"steal_percent", known(run->steal_percent)}, {"throttled_seconds", known(run->throttled_seconds)}};
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

std::string hex(std::uintptr_t address) {
  std::ostringstream text;
  text << std::hex << std::showbase << address;
  return text.str();
}

Json texts(const Remarks& remarks) {
  Json list = Json::array();
  for (const Remark& remark : remarks) list.push_back(remark.text);
  return list;
}

/// flag, text, count (any number in a range), or choice (one of a short list).
const char* type_name(const Parameter& parameter) {
  switch (parameter.type) {
    case Parameter::Type::flag:
      return "flag";
    case Parameter::Type::text:
      return "text";
    case Parameter::Type::integer:
      break;
  }
  return parameter.choices.empty() ? "count" : "choice";
}

Json parameter_json(const Parameter& parameter) {
  const bool has_range = parameter.type == Parameter::Type::integer && parameter.choices.empty();
  const bool has_maximum = has_range && parameter.maximum < std::numeric_limits<int>::max();
  return {{"name", parameter.name},
          {"meaning", parameter.meaning},
          {"default", known(parameter.default_value)},
          {"allowed", allowed_values(parameter)},
          {"minimum", known(has_range, parameter.minimum)},
          {"maximum", known(has_maximum, parameter.maximum)},
          {"choices", known(!parameter.choices.empty(), parameter.choices)},
          {"type", type_name(parameter)}};
}

}  // namespace

Json environment_json(const Environment& environment) {
  const Cgroup& cgroup = environment.cgroup;
  Json json{{"date_utc", environment.date_utc},
            {"argv", environment.argv},
            {"threads", environment.threads},
            {"pinned_cpus", known(format_cpu_list(environment.pinned_cpus))},
            {"core_kind", core_kind_json(environment)},
            {"ecbench", build_json(environment.build)},
            {"cpu", cpu_json(environment.cpu)},
            {"system", system_json(environment.system)},
            {"cgroup",
             {{"version", known(cgroup.version)},
              {"quota_cpus", known(cgroup.quota_cpus)},
              {"throttled_seconds", known(cgroup.throttled_seconds)},
              {"memory_limit_bytes", known(cgroup.memory_limit_bytes)}}},
            {"during_run", interference_json(environment.during_run)},
            {"kernels", environment.kernels},
            {"shared_objects", shared_objects_json(environment.shared_objects)},
            {"unfit", texts(unfit(environment))}};
  if (environment.fake) json["fake"] = true;
  return json;
}

std::string environment_text(const Environment& environment) { return on_one_line(environment_json(environment)); }

Json codec_libraries_json(std::span<const SharedObject> libraries) {
  const PrivateNames names = private_names();
  Json by_name = Json::object();
  for (const SharedObject& library : libraries) {
    by_name[library.name] = {
        {"path", publishable(library.path, names)}, {"version", known(library.version)}, {"build_id", known(library.build_id)}};
  }
  return by_name;
}

std::string instructions_text(const InstructionCount& count) {
  Json objects = Json::array();
  for (const ObjectInstructions& object : count.objects) {
    Json at = Json::array();
    for (const auto& [address, times] : object.at) at.push_back(Json::array({hex(address), times}));
    objects.push_back({{"path", object.path}, {"at", at}});
  }
  const Json all{{"format", "ecbench instructions 1"},
                 {"iterations", count.iterations},
                 {"instructions", count.instructions},
                 {"repetitions", count.repetitions},
                 {"objects", objects}};
  return on_one_line(all);
}

std::string symbols_text(const KernelSymbols& symbols) {
  Json objects = Json::array();
  for (const LoadedObject& object : symbols.objects) {
    objects.push_back({{"path", object.path}, {"build_id", known(object.build_id)}, {"base", hex(object.base)}});
  }
  Json functions = Json::array();
  for (const KernelSymbol& function : symbols.functions) {
    functions.push_back(
        {{"object", function.object}, {"address", hex(function.address)}, {"name", function.name}, {"how", function.how}});
  }
  const Json all{{"format", "ecbench symbols 1"},
                 {"kernel", symbols.kernel},
                 {"valgrind", runs_under_valgrind()},
                 {"client_requests", has_client_requests()},
                 {"objects", objects},
                 {"functions", functions}};
  return on_one_line(all);
}

Json reads_json(const ReadSet& reads) {
  Json json = Json::object();
  for (const auto& [position, runs] : reads) {
    Json& pairs = json[std::to_string(position)] = Json::array();
    for (const SubChunkRun& run : runs) pairs.push_back({run.first, run.count});
  }
  return json;
}

Json read_cost_json(const ReadCost& cost) {
  return {{"chunks_read", cost.chunks_read},
          {"drive_factor", cost.drive_factor},
          {"network_factor", cost.network_factor},
          {"reads_per_helper", cost.reads_per_helper}};
}

Json plugin_json(const Plugin& plugin, const std::string& path) {
  Json aliases = Json::array();
  for (const PluginAlias& alias : aliases_of(plugin.name)) {
    aliases.push_back({{"name", alias.name}, {"dispatch", alias.dispatch}});
  }
  Json techniques = Json::array();
  for (const Technique& technique : plugin.techniques) {
    Json parameters = Json::array();
    for (const Parameter& parameter : technique.parameters) parameters.push_back(parameter_json(parameter));
    techniques.push_back({{"name", technique.name}, {"summary", technique.summary}, {"parameters", parameters}});
  }
  return {{"name", plugin.name},
          {"summary", plugin.summary},
          {"path", path},
          {"default_technique", known(plugin.default_technique)},
          {"dispatch_levels", usable_dispatch_levels(plugin)},
          {"aliases", aliases},
          {"techniques", techniques}};
}

}  // namespace ecbench
