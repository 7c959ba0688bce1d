#include "report/row_json.h"

#include <cstdlib>
#include <optional>
#include <set>

#include "benchmark/environment/private_names.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/sampling/clean_samples.h"
#include "report/codec_libraries_json.h"
#include "report/home.h"
#include "report/read_cost_json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json value_if(bool known, const Value& value) {
  return known ? Json(value) : Json(nullptr);
}

void add_code(const Row& row, Json& json) {
  const Measurement& measurement = row.measurement;
  const Point& point = measurement.point;
  json["schema_version"] = row_schema_version;
  json["host"] = value_if(!row.host.empty(), row.host);
  json["date"] = value_if(!row.date.empty(), row.date);
  json["plugin"] = point.plugin;
  json["profile"] = point.profile.values();
  json["workload"] = point.workload;
  json["k"] = measurement.data_chunk_count;
  json["m"] = measurement.chunk_count - measurement.data_chunk_count;
  json["chunk_count"] = measurement.chunk_count;
  json["size"] = point.size_bytes;
  json["stripe_unit"] = value_if(point.stripe_unit_bytes != 0, point.stripe_unit_bytes);
  json["chunk_size"] = measurement.chunk_size_bytes;
  json["padding_percent"] = padding_percent(point.size_bytes, measurement.data_chunk_count, measurement.chunk_size_bytes);
  json["sub_chunk_count"] = measurement.sub_chunk_count;
}

void add_erasures(const Row& row, Json& json) {
  const Point& point = row.measurement.point;
  json["erasures"] = point.erasures;
  json["erased"] = point.erased;
  json["erasures_generation"] = point.generation == ErasureGeneration::exhaustive ? "exhaustive" : "random";
  json["want"] = point.want == Want::data ? "data" : "all";
  json["patterns"] = row.measurement.patterns;
  json["unrecoverable"] = row.measurement.unrecoverable;
}

/// If the workload is repair, adds the cost of the reads. If several chunks were lost and repaired in turn, this is the mean cost
/// of these repairs. If the point specifies the lost chunk, also adds the chunks and sub-chunks that the repair reads.
void add_reads(const Row& row, Json& json) {
  const Measurement& measurement = row.measurement;
  const bool repairs = !measurement.reads.empty();
  json["reads"] = repairs && !measurement.point.erased.empty() ? reads_json(measurement.reads.front()) : Json(nullptr);
  const Json cost = read_cost_json(repairs ? mean_read_cost(measurement.reads, measurement.sub_chunk_count) : ReadCost{});
  for (const auto& [name, value] : cost.items()) json[name] = value_if(repairs, value);
}

void add_overwrite(const Row& row, Json& json) {
  const Measurement& measurement = row.measurement;
  const int changed = measurement.point.changed_chunks;
  const OverwriteCost cost =
      overwrite_cost(changed, measurement.data_chunk_count, measurement.chunk_count - measurement.data_chunk_count);
  json["changed"] = value_if(changed > 0, changed);
  json["delta_reads"] = value_if(changed > 0, cost.by_delta.reads);
  json["delta_writes"] = value_if(changed > 0, cost.by_delta.writes);
  json["reencoding_reads"] = value_if(changed > 0, cost.by_reencoding.reads);
  json["reencoding_writes"] = value_if(changed > 0, cost.by_reencoding.writes);
}

void add_codec_libraries(const Row& row, Json& json) {
  const std::string& directory = row.measurement.point.codec_lib;
  json["codec_lib"] = value_if(!directory.empty(), publishable(directory, private_names()));
  json["codec_libraries"] = value_if(!directory.empty(), codec_libraries_json(row.codec_libraries));
}

void add_circumstances(const Row& row, Json& json) {
  const Point& point = row.measurement.point;
  json["timing"] = point.timing == Timing::api ? "api" : "kernel";
  json["cache"] = point.cache == CacheState::cold ? "cold" : "warm";
  json["pool_bytes"] = value_if(point.cache == CacheState::cold, row.measurement.pool_bytes);
  json["threads"] = point.threads;
  json["cpus"] = point.cpus;
  json["dispatch"] = point.dispatch;
  json["kernel"] = row.measurement.kernel;
  add_codec_libraries(row, json);
  json["fill"] = value_if(point.fill.has_value(), point.fill.value_or(0));
  json["seed"] = point.seed;
}

void add_figures(const Row& row, Json& json) {
  const Summary& summary = row.summary;
  json["iterations"] = summary.iterations;
  json["seconds"] = summary.seconds;
  json["kb"] = kb(row.measurement, summary.iterations);
  json["gb_per_s"] = summary.gb_per_s;
  json["rebuilt_gb_per_s"] = value_if(!row.measurement.reads.empty(), summary.rebuilt_gb_per_s);
  json["ns_per_op"] = summary.ns_per_op;
  json["minimum_ns_per_op"] = summary.minimum_ns_per_op;
  const std::optional<double>& overhead = row.measurement.call_overhead_ns;
  json["call_overhead_ns"] = value_if(overhead.has_value(), overhead.value_or(0));
  const std::optional<double>& plan = row.measurement.plan_ns;
  json["plan_ns"] = value_if(plan.has_value(), plan.value_or(0));
  json["objects_per_s"] = summary.objects_per_s;
  json["thread_gb_per_s"] = summary.thread_gb_per_s;
  json["cpu_seconds"] = summary.cpu_seconds;
  json["cpu_seconds_per_gb"] = summary.cpu_seconds_per_gb;
}

void add_spread(const Row& row, Json& json) {
  const Measurement& measurement = row.measurement;
  const Summary& summary = row.summary;
  std::set<int> placements;
  for (const Sample& sample : counted_samples(measurement.samples)) placements.insert(sample.placement);
  const bool has_interval = summary.ci_confidence > 0;
  json["ci_low"] = value_if(has_interval, summary.ci_low);
  json["ci_high"] = value_if(has_interval, summary.ci_high);
  json["ci_percent"] = value_if(has_interval, summary.ci_percent());
  json["ci_confidence_percent"] = value_if(has_interval, summary.ci_confidence * 100);
  json["drift_floor_percent"] = value_if(has_interval, measurement.point.sampling.drift_floor_percent);
  json["drift_percent"] = value_if(has_interval, summary.drift * 100);
  json["mad_percent"] = value_if(has_interval, summary.mad_percent);
  json["outliers"] = value_if(has_interval, summary.outliers);
  json["sample_count"] = measurement.samples.size();
  json["clean_samples"] = clean_count(measurement.samples);
  json["placements"] = placements.size();
  json["placement_spread_percent"] = value_if(placements.size() > 1, summary.placement_spread * 100);
}

void add_limit(const Row& row, Json& json) {
  const bool measured = !row.measurement.limit_seconds.empty();
  json["limit_gb_per_s"] = value_if(measured, row.summary.limit_gb_per_s);
  json["limit_percent"] = value_if(measured, row.summary.percent_of_limit);
}

void add_instructions(const Row& row, Json& json) {
  const auto& count = row.measurement.instructions;
  json["instructions_per_iteration"] = value_if(count.has_value(), count ? count->per_iteration() : 0);
  json["repetitions_per_iteration"] = value_if(count.has_value(), count ? count->repetitions_per_iteration() : 0);
}

void add_samples(const Row& row, Json& json) {
  json["sample_iterations"] = row.measurement.sample_iterations;
  Json& samples = json["samples"] = Json::array();
  for (const Sample& sample : row.measurement.samples) {
    samples.push_back({{"placement", sample.placement},
                       {"seconds", sample.seconds},
                       {"cpu_seconds", sample.cpu_seconds},
                       {"clean", sample.disturbance == Disturbance::none}});
  }
}

}  // namespace

Json remarks_json(const Remarks& remarks) {
  Json list = Json::array();
  for (const Remark& remark : remarks) list.push_back({{"code", remark.code}, {"text", remark.text}});
  return list;
}

Json row_json(const Row& row) {
  Json json;
  add_code(row, json);
  add_erasures(row, json);
  add_reads(row, json);
  add_overwrite(row, json);
  add_circumstances(row, json);
  add_figures(row, json);
  add_spread(row, json);
  add_limit(row, json);
  add_instructions(row, json);
  json["verified"] = true;  // always true: if bytes are wrong, the program ends before it prints a row
  json["warnings"] = remarks_json(row.warnings);
  json["notes"] = remarks_json(row.notes);
  const char* home = std::getenv("HOME");
  json["command"] = without_home(row.command, home == nullptr ? "" : home);
  add_samples(row, json);
  return json;
}

}  // namespace ecbench
