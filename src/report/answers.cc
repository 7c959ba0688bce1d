#include <algorithm>
#include <cmath>
#include <iomanip>
#include <string_view>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

/// The kernel of a measurement: for a decode without --erased, that of an erasure pattern with the same number of chunks.
std::string kernel_text(const Point& point, const ErasureCode& code) {
  const WorkloadDescriptor& workload = workload_named(point.workload);
  if (workload.is_reference_loop || !point.codec_lib.empty()) return "";
  const BenchmarkInfo& info = info_of(code);
  if (std::string_view(workload.name) == "encode") return info.kernel_of(nullptr);
  if (workload.losses != Losses::any) return info.kernel();
  Positions erased = point.erased;
  for (int i = 0; point.erased.empty() && i < point.erasures; i++) erased.push_back(i * code.chunk_count() / point.erasures);
  try {
    return info.kernel_of(decode_plan(code, point, erased).get());
  } catch (const Error&) {  // other patterns may be recoverable
    return info.kernel();
  }
}

Json ignored_of(const Profile& given, const Profile& completed) {
  Json ignored = Json::array();
  for (const auto& [key, value] : given.values()) {
    if (!completed.has(key)) ignored.push_back(key);
  }
  return ignored;
}

ReadCost cost_of(const Rebuild& rebuild, const ReadLayout& layout) {
  return read_cost(rebuild.reads, layout.sub_chunk_count, rebuild.erased);
}

BlockReads blocks_of(const Rebuild& rebuild, const ReadLayout& layout) {
  return block_reads(rebuild.reads, layout.sub_chunk_count, layout.stripe_chunk_bytes, layout.block_bytes);
}

/// "1 2", or with sub-chunks "1[0-3,8-11] 2[0-3]".
std::string reads_text(const ReadSet& reads, int sub_chunk_count) {
  std::string text;
  for (const auto& [position, runs] : reads) {
    text += (text.empty() ? "" : " ") + std::to_string(position);
    if (runs.size() == 1 && runs.front().count == sub_chunk_count) continue;
    std::string parts;
    for (const SubChunkRun& run : runs) {
      parts += (parts.empty() ? "" : ",") + std::to_string(run.first);
      if (run.count > 1) parts += "-" + std::to_string(run.first + run.count - 1);
    }
    text += "[" + parts + "]";
  }
  return text;
}

void print_parameter(const Parameter& parameter, std::ostream& out) {
  const std::string default_value = parameter.default_value.empty() ? "none" : parameter.default_value;
  out << "    " << std::left << std::setw(30) << parameter.name << std::setw(22) << allowed_values(parameter) << "default "
      << std::setw(14) << default_value << parameter.meaning << '\n';
}

}  // namespace

void print_plugin(const Plugin& plugin, const std::string& path, std::ostream& out) {
  out << plugin.name << ": " << plugin.summary << "\n  " << path << "\n  dispatch levels:";
  for (const std::string& level : usable_dispatch_levels(plugin)) out << ' ' << level;
  out << (plugin.dispatch_levels.empty() ? " (the plugin cannot select kernels by level)\n" : "\n");
  for (const PluginAlias& alias : aliases_of(plugin.name)) {
    out << "  alias " << alias.name << ": means --dispatch " << alias.dispatch << '\n';
  }
  for (const Technique& technique : plugin.techniques) {
    const bool is_default = technique.name == plugin.default_technique;
    if (technique.name.empty()) {
      out << "  " << technique.summary << '\n';
    } else {
      out << "  technique=" << technique.name << (is_default ? " (default)" : "") << ": " << technique.summary << '\n';
    }
    for (const Parameter& parameter : technique.parameters) print_parameter(parameter, out);
  }
}

Rebuild rebuild_of(const ErasureCode& code, const Positions& erased) {
  try {
    return {erased, reads_for(code, erased), ""};
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return {erased, {}, error.what()};
  }
}

void print_rebuild(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out) {
  out << std::left << std::setw(11) << joined(rebuild.erased, ",") << ' ';
  if (!rebuild.unrecoverable.empty()) {
    out << rebuild.unrecoverable << '\n';
    return;
  }
  const ReadCost cost = cost_of(rebuild, layout);
  out << std::setw(8) << std::lround(cost.chunks_read) << std::fixed << std::setprecision(3) << std::setw(8) << cost.drive_factor
      << std::setw(8) << blocks_of(rebuild, layout).factor << std::setw(9) << cost.network_factor << std::setw(10)
      << std::setprecision(1) << cost.reads_per_helper << reads_text(rebuild.reads, layout.sub_chunk_count) << '\n';
}

void print_rebuild_json(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out) {
  Json json{{"erased", rebuild.erased}};
  if (rebuild.unrecoverable.empty()) {
    json["reads"] = reads_json(rebuild.reads);
    json["sub_chunk_count"] = layout.sub_chunk_count;
    json.update(read_cost_json(cost_of(rebuild, layout)));
    const BlockReads blocks = blocks_of(rebuild, layout);
    json["block_factor"] = blocks.factor;
    json["block_reads_per_helper"] = blocks.reads_per_helper;
  } else {
    json["unrecoverable"] = rebuild.unrecoverable;
  }
  out << on_one_line(json) << '\n';
}

void print_pattern(const Positions& erased, int chunk_count, std::ostream& out) {
  out << "chunks ";
  for (int position = 0; position < chunk_count; position++) {
    const bool lost = std::ranges::find(erased, position) != erased.end();
    out << (lost ? "(" : " ") << position << (lost ? ")" : " ") << ' ';
  }
  out << "(X) is an erased chunk\n";
}

Json losses_json(const ErasureCode& code, std::uint64_t chunks, std::uint64_t most_patterns, std::uint64_t seed) {
  if (chunks > static_cast<std::uint64_t>(code.coding_chunk_count())) {
    throw Error("\"losses\": " + std::to_string(chunks) + " is not allowed: this code can lose at most " +
                std::to_string(code.coding_chunk_count()) + " of its " + std::to_string(code.chunk_count()) + " chunks");
  }
  const LossCount count = count_losses(code, static_cast<int>(chunks), most_patterns, seed);
  const Json patterns = known(count.patterns != uncountable_patterns, count.patterns);
  return {{"chunks", chunks}, {"patterns", patterns}, {"checked", count.checked}, {"unrecoverable", count.unrecoverable}};
}

Json description_json(const Point& point, const ErasureCode& code, const Profile& given) {
  const WorkloadDescriptor& workload = workload_named(point.workload);
  const std::size_t chunk_size = stripe_chunk_size(code, point.size_bytes, point.stripe_unit_bytes);
  const std::size_t stripes = stripe_count(code, point.size_bytes, chunk_size);
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  const std::size_t stored = chunk_size * stripes * static_cast<std::size_t>(code.chunk_count());
  return {{"plugin", point.plugin},
          {"profile", point.profile.values()},
          {"workload", point.workload},
          {"k", k},
          {"m", code.coding_chunk_count()},
          {"chunk_count", code.chunk_count()},
          {"size", point.size_bytes},
          {"stripe_unit", known(point.stripe_unit_bytes != 0, point.stripe_unit_bytes)},
          {"chunk_size", chunk_size},
          {"stripes", stripes},
          {"stored_bytes", stored},
          {"padding_percent", padding_percent(point.size_bytes, code.data_chunk_count(), chunk_size)},
          {"erasures", workload.loses_chunks() ? point.erasures : 0},
          {"kernel", kernel_text(point, code)},
          {"ignored", ignored_of(given, point.profile)}};
}

}  // namespace ecbench
