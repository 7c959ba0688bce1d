#include "report/mixed_report.h"

#include <array>
#include <cstdio>

#include "report/columns.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "ecbench mixed 1";

// The keys that the row of a mixed measurement and the row of a single workload have in common.
constexpr std::array shared_keys{
    "host",        "date",       "plugin",          "profile",  "k",      "m",         "chunk_count",     "size",
    "stripe_unit", "chunk_size", "sub_chunk_count", "dispatch", "kernel", "codec_lib", "codec_libraries", "fill",
    "seed"};

struct Percentile {
  const char* name;
  int per_mille;
};
constexpr std::array percentiles{Percentile{"p50", 500}, Percentile{"p95", 950}, Percentile{"p99", 990}, Percentile{"p999", 999}};

constexpr double ns_per_ms = 1e6;
constexpr const char* lower_bound = ">";  // written before a latency if operations are unfinished

std::optional<std::int64_t> largest(const std::vector<std::int64_t>& ascending) {
  return ascending.empty() ? std::nullopt : std::optional(ascending.back());
}

Json milliseconds(std::optional<std::int64_t> ns) {
  return ns ? Json(static_cast<double>(*ns) / ns_per_ms) : Json(nullptr);
}

Json latency_json(const std::vector<std::int64_t>& ascending_ns) {
  Json json = Json::object();
  for (const auto& [name, per_mille] : percentiles) {
    json[name] = milliseconds(percentile(ascending_ns, per_mille));
  }
  json["max"] = milliseconds(largest(ascending_ns));
  return json;
}

Json foreground_json(const ForegroundResult& result) {
  return {{"operations", result.operations},
          {"unfinished", result.unfinished},
          {"operations_per_s", result.operations_per_s},
          {"gb_per_s", result.bytes_per_s / 1e9},
          {"latency_ms", latency_json(result.latency_ns)}};
}

Json histogram_json(const std::vector<std::int64_t>& ascending_ns) {
  Json list = Json::array();
  for (const LatencyBucket& bucket : latency_histogram(ascending_ns)) {
    list.push_back({bucket.middle_ns / ns_per_ms, bucket.count});
  }
  return list;
}

Json settings_json(const MixedSettings& settings) {
  Json shares;
  for (std::size_t kind = 0; kind < settings.shares.size(); kind++) shares[foreground_kind_names[kind]] = settings.shares[kind];
  return {{"shares", shares},
          {"foreground_rate", known(settings.foreground_rate)},
          {"background", background_names[static_cast<std::size_t>(settings.background)]},
          {"repair_rate", known(settings.repair_rate)},
          {"foreground_cpus", settings.foreground_cpus},
          {"repair_cpus", settings.repair_cpus},
          {"shared_cpus", settings.shares_cpus()},
          {"foreground_threads", settings.foreground_threads},
          {"repair_threads", settings.repair_threads},
          {"duration_seconds", settings.seconds},
          {"pool_bytes", settings.pool_bytes}};
}

std::string cell(const std::string& text, int width) {
  std::array<char, 128> padded{};
  std::snprintf(padded.data(), padded.size(), "%*s", width, text.c_str());
  return padded.data();
}

std::string foreground_line(const std::string& name, const ForegroundResult& result) {
  std::array<char, 64> title{};
  std::snprintf(title.data(), title.size(), "%-14s", name.c_str());
  std::string line = title.data() + cell(std::to_string(result.operations), 10) + cell(fixed(result.operations_per_s, 1), 10) +
                     cell(fixed(result.bytes_per_s / 1e9, 3), 9);
  const char* bound = result.unfinished > 0 ? lower_bound : "";
  const auto latency = [&](std::optional<std::int64_t> ns) {
    return cell(ns ? bound + fixed(static_cast<double>(*ns) / ns_per_ms, 3) : "-", 11);
  };
  for (const int per_mille : {500, 950, 990}) line += latency(percentile(result.latency_ns, per_mille));
  return line + latency(largest(result.latency_ns)) + "\n";
}

std::string joined(const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return list;
}

}  // namespace

Remarks mixed_warnings(const MixedResult& result) {
  Remarks remarks;
  const ForegroundResult& foreground = result.foreground;
  if (foreground.unfinished > 0) {
    remarks.push_back({"foreground_unfinished",
                       std::to_string(foreground.unfinished) + " of " + std::to_string(foreground.operations) +
                           " operations did not start before the measurement ended, because the foreground was too slow for its "
                           "schedule; the percentiles are lower bounds; give a lower --foreground-rate or --repair-rate"});
  }
  if (result.stall_ns) {
    remarks.push_back(
        {"foreground_stalled",
         "foreground thread " + std::to_string(result.stalled_thread) + " finished no operation for " +
             fixed(static_cast<double>(*result.stall_ns) / ns_per_ms, 0) +
             " ms, and the percentiles include this delay; end other programs on the CPU of this thread, and measure again"});
  }
  return remarks;
}

Remarks mixed_notes(const MixedSettings& settings) {
  if (!settings.repairs() || !settings.shares_cpus()) return {};
  return {{"repairs_share_cpu",
           "foreground and background share a CPU, and the operating system divides the time of this CPU between them"}};
}

std::string mixed_json_text(const MixedRow& row) {
  const Json code = row_json({.measurement = row.code,
                              .summary = {},
                              .command = row.command,
                              .codec_libraries = row.codec_libraries,
                              .host = row.host,
                              .date = row.date});
  Json json{{"format", format_name}};
  for (const char* key : shared_keys) json[key] = code[key];
  json.update(settings_json(row.settings));
  const MixedResult& result = row.result;
  const bool overwrites = row.settings.shares[static_cast<std::size_t>(ForegroundKind::overwrite)] > 0;
  json["overwrites_by"] = known(overwrites, result.overwrites_by_delta ? "delta" : "reencoding");
  json["foreground"] = foreground_json(result.foreground);
  json["foreground"]["cpu_seconds"] = result.foreground_cpu_seconds;
  json["foreground"]["histogram"] = histogram_json(result.foreground.latency_ns);
  Json& kinds = json["kinds"] = Json::object();
  for (std::size_t kind = 0; kind < result.by_kind.size(); kind++) {
    if (row.settings.shares[kind] > 0) kinds[foreground_kind_names[kind]] = foreground_json(result.by_kind[kind]);
  }
  json["repair"] = {{"chunks", result.repaired_chunks},
                    {"bytes_per_s", result.repaired_bytes_per_s},
                    {"reads_per_byte", result.repair_reads},
                    {"cpu_seconds", result.repair_cpu_seconds}};
  json["memory_bytes"] = result.memory_bytes;
  json["verified"] = true;  // always true: if bytes are wrong, the program ends before it prints a row
  json["warnings"] = remarks_json(row.warnings);
  json["notes"] = remarks_json(row.notes);
  json["command"] = code["command"];
  return on_one_line(json) + "\n";
}

std::string mixed_table(const MixedRow& row) {
  const MixedResult& result = row.result;
  std::string text = "foreground    operations     ops/s     GB/s     p50 ms     p95 ms     p99 ms     max ms\n";
  text += foreground_line("all", result.foreground);
  for (std::size_t kind = 0; kind < result.by_kind.size(); kind++) {
    if (row.settings.shares[kind] > 0) text += foreground_line(foreground_kind_names[kind], result.by_kind[kind]);
  }
  text += background_names[static_cast<std::size_t>(row.settings.background)] + std::string(": ") +
          std::to_string(result.repaired_chunks) + " chunks, " + fixed(result.repaired_bytes_per_s / 1e6, 1) + " MB/s\n";
  text += "CPU seconds: foreground " + fixed(result.foreground_cpu_seconds, 3) + " (CPU " + joined(row.settings.foreground_cpus) +
          "), background " + fixed(result.repair_cpu_seconds, 3) + " (CPU " + joined(row.settings.repair_cpus) + ")\n";
  return text;
}

}  // namespace ecbench
