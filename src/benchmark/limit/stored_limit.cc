#include "benchmark/limit/stored_limit.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr double most_age_seconds = 30;
constexpr std::uintmax_t most_file_bytes = 16 << 20;

[[noreturn]] void refuse(const std::string& file) {
  throw Error("--limit-file " + file + " is not allowed: it has no limits that ecbench stored; give a new file");
}

/// Before the measurement, whose limit is to be stored.
void check_writable(const std::string& file, const fs::path& place) {
  if (access(place.c_str(), W_OK) == 0) return;
  throw Error("cannot write --limit-file " + file + ": " + std::strerror(errno) + "; give a file that can be written");
}

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
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    const fs::path folder = fs::path(file).parent_path();
    check_writable(file, folder.empty() ? "." : folder);
    return std::nullopt;
  }
  if (!fs::is_regular_file(status) || fs::file_size(file, error) > most_file_bytes) refuse(file);
  std::optional<StoredLimit> found;
  std::ifstream in(file);
  const double now = now_seconds();
  bool is_first = true;
  for (std::string line; std::getline(in, line); is_first = false) {
    std::istringstream words(line);
    double at = 0;
    double seconds = 0;
    std::string of;
    const bool is_limit = static_cast<bool>(words >> at >> seconds >> of);
    if (is_first && !is_limit) refuse(file);
    if (!is_limit || of != key || !std::isfinite(seconds) || seconds <= 0) continue;
    if (at <= now && now - at < most_age_seconds) found = {.seconds = seconds, .age_seconds = now - at};
  }
  if (!found) check_writable(file, file);
  return found;
}

void store_limit(const std::string& file, const std::string& key, double seconds) {
  std::ofstream out(file, std::ios::app);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << now_seconds() << ' ' << seconds << ' ' << key << '\n';
}

}  // namespace ecbench
