#include "benchmark/limit/limit.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>

#include "benchmark/sampling/samples.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/error.h"

namespace ecbench {
constexpr double warm_trial_seconds = 0.25e-3;
// A shorter trial pays for what the way before has left in the caches. On Zen 4, 15 of 16 measurements with 0.25 ms, but 1 of 16
// with 3 ms, chose a way that is slower by a third (8+3, 4 MiB) or an eighth (8+4, 128 KiB).
constexpr double cold_trial_seconds = 3e-3;
constexpr double most_seconds = 20e-3;
constexpr int fewest_limit_rounds = 3;

std::vector<LimitKernel> limit_kernels() {
  std::vector<LimitKernel> kernels{{"baseline", limit_loop_baseline}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", limit_loop_avx2});
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", limit_loop_avx512});
#endif
  return kernels;
}

// Each round times every element once, so that a disturbance affects all.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements, CacheState cache) {
  if (runs.size() < 2) return 0;
  const std::uint64_t iterations = calibrate(runs.front(), cache == CacheState::cold ? cold_trial_seconds : warm_trial_seconds);
  std::vector<std::vector<double>> seconds(runs.size());
  double spent = 0;
  for (int round = 0; round < fewest_limit_rounds || (round < 2 * placements && spent < most_seconds); round++) {
    for (std::size_t i = 0; i < runs.size(); i++) {
      seconds[i].push_back(runs[i](round % placements, iterations).seconds);
      spent += seconds[i].back();
    }
  }
  const auto typical = [](const std::vector<double>& of_run) { return median(of_run); };
  return static_cast<std::size_t>(std::ranges::min_element(seconds, {}, typical) - seconds.begin());
}

namespace {

// Reference loops: limit reads and writes the chunks of an erasure code's operation, but computes only XORs; memcpy copies.
class ReferenceLoop : public Workload {
 public:
  // A reference loop has no results that could be wrong.
  void poison_results(const EncodedObject&) const override {}
  void check_results(const EncodedObject&) const override {}
};

/// Sizes and offsets of a Transfer, for every copy of an object and every stripe.
class Move {
 public:
  Move(const EncodedObject& object, const Transfer& transfer) : part_(transfer.part), size_bytes_(piece_bytes(object, transfer)) {
    if (transfer.reads.empty()) return;
    first_read_ = transfer.reads.begin()->first;
    const std::span<const std::uint8_t* const> sources = sources_of(object, 0);
    for (const auto& [position, runs] : transfer.reads) {
      const std::uint8_t* const source = sources[static_cast<std::size_t>(position)];
      add_pieces(sources_, source - sources[static_cast<std::size_t>(first_read_)], bytes_of(object, runs));
    }
    for (int i = 0; i < transfer.new_bytes; i++) {
      const std::uint8_t* const source = object.stripes()[0].new_bytes[static_cast<std::size_t>(i)];
      add_pieces(sources_, source - sources[static_cast<std::size_t>(first_read_)], object.chunk_size_bytes());
    }
    for (const int position : transfer.writes) {
      add_pieces(targets_, object.chunks()[position] - object.chunks()[0], object.chunk_size_bytes());
    }
  }

  std::size_t size_bytes() const { return size_bytes_; }
  bool is_empty() const { return sources_.empty(); }
  void choose(LimitWay way) { loop_ = limit_kernels().back().loop(static_cast<int>(sources_.size()), way); }
  bool starts_cache_lines() const {
    return std::ranges::all_of(targets_, [](std::ptrdiff_t offset) { return offset % 64 == 0; });
  }

  void run(const EncodedObject& object, std::size_t stripe) const {
    loop_({sources_of(object, stripe)[static_cast<std::size_t>(first_read_)], sources_.data(), static_cast<int>(sources_.size()),
           object.stripes()[stripe].chunks[0], targets_.data(), static_cast<int>(targets_.size()), size_bytes_});
  }

 private:
  static std::size_t bytes_of(const EncodedObject& object, const std::vector<SubChunkRun>& runs) {
    const int sub_chunks = object.code().sub_chunk_count();
    return object.chunk_size_bytes() / static_cast<std::size_t>(sub_chunks) * static_cast<std::size_t>(sub_chunks_of(runs));
  }

  /// A repair can read a part of a chunk, but writes a whole one: a piece divides the chunk size and the sizes of all parts.
  static std::size_t piece_bytes(const EncodedObject& object, const Transfer& transfer) {
    std::size_t bytes = object.chunk_size_bytes();
    for (const auto& [position, runs] : transfer.reads) bytes = std::gcd(bytes, bytes_of(object, runs));
    return bytes;
  }

  void add_pieces(std::vector<std::ptrdiff_t>& offsets, std::ptrdiff_t first, std::size_t bytes) const {
    for (std::size_t at = 0; at < bytes; at += size_bytes_) offsets.push_back(first + static_cast<std::ptrdiff_t>(at));
  }

  /// By position; to parts of chunks if a repair reads these.
  std::span<const std::uint8_t* const> sources_of(const EncodedObject& object, std::size_t stripe) const {
    if (part_) return object.helper_parts()->of(*part_, stripe);
    return object.stripes()[stripe].chunks;
  }

  std::optional<std::size_t> part_;
  std::size_t size_bytes_;
  int first_read_ = 0;
  std::vector<std::ptrdiff_t> sources_;
  std::vector<std::ptrdiff_t> targets_;
  LimitLoop loop_ = nullptr;
};

class LimitWorkload : public ReferenceLoop {
 public:
  LimitWorkload(std::vector<Move> moves, std::uint64_t operations_per_iteration, LimitWay way)
      : moves_(std::move(moves)), operations_per_iteration_(operations_per_iteration) {
    for (Move& move : moves_) move.choose(way);
  }

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    first *= operations_per_iteration_;
    Round object(objects.size(), first);
    Round move(moves_.size(), first);
    const std::uint64_t operations = iterations * operations_per_iteration_;
    for (std::uint64_t i = 0; i < operations; i++) run(*objects[object.next()], moves_[move.next()]);
  }

  std::uint64_t operations_per_iteration() const override { return operations_per_iteration_; }

 private:
  static void run(const EncodedObject& object, const Move& move) {
    if (move.is_empty()) return;
    for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) move.run(object, stripe);
  }

  std::vector<Move> moves_;
  std::uint64_t operations_per_iteration_;
};

/// To the data chunks of the next object.
class MemcpyWorkload : public ReferenceLoop {
 public:
  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), 2 * first);
    for (std::uint64_t i = 0; i < iterations; i++) {
      const EncodedObject& from = *objects[round.next()];
      const EncodedObject& to = *objects[round.next()];
      for (const int position : from.code().data_positions()) {
        std::memcpy(to.chunks()[position], from.chunks()[position], from.chunks().chunk_size_bytes());
      }
    }
  }
};

/// Streaming loops need targets at multiples of 64 bytes.
bool can_stream(const EncodedObject& object, const std::vector<Move>& moves) {
  if (object.stripe_count() > 1 && object.chunk_size_bytes() % chunk_alignment_bytes != 0) return false;
  return std::ranges::all_of(moves, &Move::starts_cache_lines);
}

std::vector<Move> moves_of(const EncodedObject& object, std::span<const Transfer> transfers) {
  std::vector<Move> moves;
  for (const Transfer& transfer : transfers) moves.emplace_back(object, transfer);
  return moves;
}

std::vector<std::unique_ptr<Workload>> all_ways(const EncodedObject& object, const std::vector<Move>& moves,
                                                std::uint64_t operations_per_iteration) {
  std::vector<std::unique_ptr<Workload>> workloads;
  for (const LimitWay way : all_limit_ways) {
    if (way >= LimitWay::streaming && !can_stream(object, moves)) continue;
    workloads.push_back(std::make_unique<LimitWorkload>(moves, operations_per_iteration, way));
  }
  return workloads;
}

/// Each call first runs one iteration that is not timed, and continues with the next object (`next`).
TimedRun timed_run(const Workload& workload, const Placements& placements, std::uint64_t& next) {
  return [&](int placement, std::uint64_t iterations) {
    const Objects objects = placements.objects(0, placement);
    workload.run(objects, next, 1);
    next++;
    const double begin = now_seconds();
    workload.run(objects, next, iterations);
    next += iterations;
    return Sample{.seconds = now_seconds() - begin};
  };
}

namespace fs = std::filesystem;

constexpr std::uintmax_t most_file_bytes = 16 << 20;

[[noreturn]] void refuse(const std::string& file) {
  throw Error("--limit-file " + file + " is not allowed: it has no limits that ecbench stored; give a new file");
}

/// Before the measurement, whose limit is to be stored.
void check_writable(const std::string& file, const fs::path& place) {
  if (access(place.c_str(), W_OK) == 0) return;
  throw Error("cannot write --limit-file " + file + ": " + std::strerror(errno) + "; give a file that can be written");
}

}  // namespace

std::vector<std::unique_ptr<Workload>> limit_workloads(const EncodedObject& object, std::span<const Transfer> transfers,
                                                       std::uint64_t operations_per_iteration) {
  const std::vector<Move> moves = moves_of(object, transfers);
  const auto is_short = [](const Move& move) { return move.size_bytes() < chunk_alignment_bytes; };
  if (moves.empty() || std::ranges::any_of(moves, is_short)) return {};
  return all_ways(object, moves, operations_per_iteration);
}

// The fastest way in the cache state of the point. The loops overwrite chunks, so they run on copies.
std::unique_ptr<Workload> make_limit_workload(const Point& point, const EncodedObject& object) {
  const ErasureCode& code = object.code();
  const auto copied = [](std::span<const int> positions) { return Positions(positions.begin(), positions.end()); };
  const Transfer encoding{whole_chunks(code, copied(code.data_positions())), copied(code.coding_positions()), {}};
  std::vector<std::unique_ptr<Workload>> ways = all_ways(object, moves_of(object, {&encoding, 1}), 1);
  const PlacementPlan plan = plan_placements(point, object.footprint_bytes(), 1);
  const Placements scratch(object, 1, plan.count, plan.objects_per_place);
  std::vector<TimedRun> runs;
  std::uint64_t next = 0;
  for (const auto& way : ways) runs.push_back(timed_run(*way, scratch, next));
  return std::move(ways[fastest_of(runs, scratch.count(), point.cache)]);
}

std::unique_ptr<Workload> make_memcpy_workload(const Point&, const EncodedObject&) { return std::make_unique<MemcpyWorkload>(); }

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
