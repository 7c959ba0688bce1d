#include "benchmark/limit/stored_limit.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

namespace ecbench {
namespace {

constexpr double most_age_seconds = 30;

/// The clock is the same in all processes of this machine.
double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string limit_key(const Point& point, const EncodedObject& object, const Workload& workload) {
  std::ostringstream text;
  text << object.chunk_size_bytes() << ' ' << object.stripe_count() << ' ' << object.code().chunk_count() << ' '
       << object.code().data_chunk_count() << ' ' << object.footprint_bytes() << ' ' << workload.operations_per_iteration() << ' '
       << static_cast<int>(point.cache) << ' ' << point.threads << ' ' << point.sampling.placements;
  for (const int cpu : point.cpus) text << " cpu " << cpu;
  for (const Transfer& transfer : workload.transfers()) {
    text << " from";
    for (const auto& [position, runs] : transfer.reads) {
      text << ' ' << position;
      for (const SubChunkRun& run : runs) text << ':' << run.first << '+' << run.count;
    }
    text << " to";
    for (const int position : transfer.writes) text << ' ' << position;
    if (transfer.part) text << " part " << *transfer.part;
    text << " new " << transfer.new_bytes;
  }
  return std::to_string(std::hash<std::string>()(text.str()));
}

std::optional<StoredLimit> read_limit(const std::string& file, const std::string& key) {
  std::optional<StoredLimit> found;
  std::ifstream in(file);
  const double now = now_seconds();
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    double at = 0;
    double seconds = 0;
    std::string of;
    if (!(words >> at >> seconds >> of) || of != key || !std::isfinite(seconds) || seconds <= 0) continue;
    if (at <= now && now - at < most_age_seconds) found = {.seconds = seconds, .age_seconds = now - at};
  }
  return found;
}

void store_limit(const std::string& file, const std::string& key, double seconds) {
  std::ofstream out(file, std::ios::app);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << now_seconds() << ' ' << seconds << ' ' << key << '\n';
}

}  // namespace ecbench
