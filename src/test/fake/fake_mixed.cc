// Instead of mixed.cc: each operation runs once and is verified. An open loop is a queue: latencies grow with the load, and with
// what the background takes from the CPU.

#include <algorithm>
#include <cmath>
#include <fstream>

#include "benchmark/mixed/mixed.h"
#include "truth.h"

namespace ecbench {
namespace {

constexpr std::size_t objects = 2;
constexpr std::size_t most_latencies = 5'000;

std::string rate_text(const MixedSettings& settings) {
  return settings.repair_rate ? std::to_string(std::llround(*settings.repair_rate)) : "unlimited";
}

/// measure_mixed() gets no Point.
Point point_of_command_line(std::size_t size_bytes) {
  Point point{.workload = "mixed", .size_bytes = size_bytes};
  std::ifstream file("/proc/self/cmdline");
  std::string before;
  for (std::string word; std::getline(file, word, '\0'); before = word) {
    if (before == "--plugin" || before == "-p") point.plugin = word;
    if (before == "--parameter" || before == "-P") point.profile.add(word);
  }
  return point;
}

}  // namespace

std::size_t default_pool_bytes() {
  return std::size_t{64} << 20;
}

double mixed_memory_bytes(const EncodedObject&, std::size_t, const MixedSettings&) {
  return 0;
}

MixedResult measure_mixed(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings) {
  fake::Truth truth(point_of_command_line(object.object_size_bytes()), {{"repair_rate", rate_text(settings)}});
  const JobMaterial material(object, stripe_unit, settings.shares, settings.running_background());
  if (settings.repairs()) JobRound(material.make_background_job(objects)).prove_all();
  MixedResult result;
  result.by_kind.resize(foreground_kind_count);
  const double capacity = truth.speed() * 1e9;  // bytes per second of a thread
  const double repaired = settings.repairs() ? std::min(settings.repair_rate.value_or(1e18), capacity / 4) : 0;
  const double busy = std::min(0.9, (settings.shares_cpus() ? 4 : 2) * repaired / capacity);
  for (std::size_t kind = 0; kind < foreground_kind_count; kind++) {
    if (settings.shares[kind] == 0) continue;
    JobRound(material.make_job(static_cast<ForegroundKind>(kind), objects)).prove_all();
    const double bytes = material.operation_bytes(static_cast<ForegroundKind>(kind));
    const double service = bytes / capacity / (1 - busy);
    const double possible = settings.foreground_threads / service * settings.shares[kind] / 100;
    const double wanted = settings.foreground_rate.value_or(1e18) * settings.shares[kind] / 100;
    const double per_s = std::min(wanted, possible);
    ForegroundResult& part = result.by_kind[kind];
    part.operations = static_cast<std::uint64_t>(std::max(1.0, per_s * settings.seconds));
    part.operations_per_s = per_s;
    part.bytes_per_s = per_s * bytes;
    const double queue = 1 / (1 - std::min(0.9, per_s / possible * 0.5));
    for (std::size_t i = 0; i < std::min<std::size_t>(part.operations, most_latencies); i++) {
      part.latency_ns.push_back(std::max<std::int64_t>(1, std::llround(service * 1e9 * queue * truth.next(0))));
    }
    std::ranges::sort(part.latency_ns);
    ForegroundResult& all = result.foreground;
    all.operations += part.operations;
    all.operations_per_s += part.operations_per_s;
    all.bytes_per_s += part.bytes_per_s;
    all.latency_ns.insert(all.latency_ns.end(), part.latency_ns.begin(), part.latency_ns.end());
  }
  std::ranges::sort(result.foreground.latency_ns);
  result.foreground_cpu_seconds = settings.seconds * 0.5;
  if (settings.repairs()) {
    result.repaired_bytes_per_s = repaired;
    const double repairs = repaired * settings.seconds / static_cast<double>(material.background_bytes());
    result.repaired_chunks = static_cast<std::uint64_t>(repairs) * static_cast<std::uint64_t>(material.background_chunks());
    result.repair_reads = material.background_reads();
    result.repair_cpu_seconds = settings.seconds * 0.1;
  }
  result.overwrites_by_delta = material.overwrites_by_delta();
  result.memory_bytes = settings.pool_bytes;
  return result;
}

}  // namespace ecbench
