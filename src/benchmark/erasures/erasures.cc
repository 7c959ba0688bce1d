#include "benchmark/erasures/erasures.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

// A decode plan needs 1 to 300 KB of memory. For most codes, the plans of more than a million patterns would not fit in memory.
constexpr std::uint64_t most_exhaustive_patterns = 1'000'000;
constexpr std::uint64_t fewest_random_patterns = 16;
constexpr std::uint64_t most_random_patterns = 256;
constexpr std::uint64_t checked_bytes = std::uint64_t{2} << 30;

Positions wanted_positions(const ErasureCode& code, Want want) {
  if (want == Want::all) return all_but({}, code.chunk_count());
  return {code.data_positions().begin(), code.data_positions().end()};
}

std::vector<Positions> all_patterns(int chunk_count, int erasures) {
  Positions pattern = all_but({}, erasures);
  std::vector<Positions> patterns;
  do {
    patterns.push_back(pattern);
  } while (next_pattern(pattern, chunk_count));
  return patterns;
}

/// Makes decode plans and measures the memory that they need.
class Planner {
 public:
  Planner(const ErasureCode& code, const Positions& wanted) : code_(code), wanted_(wanted) {}

  void consider(const Positions& erased) {
    patterns.considered++;
    if (!recovers([&] { patterns.plans.push_back(code_.plan(erased, wanted_)); })) patterns.unrecoverable++;
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  /// Throws Error if the plans of `total` patterns would take more than half of the memory that was available at the beginning. The
  /// memory of all plans is estimated from the plans that exist already.
  void require_memory_for(std::uint64_t total) const {
    const std::size_t now = resident_bytes();
    const double grown = now > resident_at_begin_ ? static_cast<double>(now - resident_at_begin_) : 0;
    const double needed = grown / static_cast<double>(patterns.considered) * static_cast<double>(total);
    if (needed <= static_cast<double>(available_at_begin_) / 2) return;
    throw Error("the decode plans of all " + std::to_string(total) +
                " patterns would take more than half of the available memory; give --erasures-generation random to use fewer "
                "patterns");
  }

  ErasurePatterns patterns;

 private:
  const ErasureCode& code_;
  const Positions& wanted_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t resident_at_begin_ = resident_bytes();
  std::size_t available_at_begin_ = available_memory_bytes();
};

ErasurePatterns consider_all(const ErasureCode& code, const Positions& wanted, const std::vector<Positions>& all) {
  constexpr std::uint64_t patterns_between_looks = 256;  // a smaller number of plans needs too little memory to be measured
  Planner planner(code, wanted);
  for (const Positions& erased : all) {
    planner.consider(erased);
    if (planner.patterns.considered % patterns_between_looks == 0) planner.require_memory_for(all.size());
  }
  return std::move(planner.patterns);
}

/// A random number below `bound`. The modulo operation makes some numbers more probable than others, but the difference is less
/// than 2^-50. std::uniform_int_distribution is not used, because its results differ between standard libraries.
std::size_t below(std::mt19937_64& engine, std::size_t bound) { return engine() % bound; }

void shuffle(std::mt19937_64& engine, auto& items) {
  for (std::size_t i = items.size(); i > 1; i--) std::swap(items[i - 1], items[below(engine, i)]);
}

/// Different patterns in random order. If the code has at most `most` patterns, returns all of them. Otherwise returns more than
/// `most` patterns, so that `most` plans are found even if the code cannot recover some patterns.
std::vector<Positions> drawn_patterns(std::mt19937_64& engine, int chunk_count, int erasures, std::uint64_t most) {
  if (pattern_count(chunk_count, erasures) <= most) {
    std::vector<Positions> all = all_patterns(chunk_count, erasures);
    shuffle(engine, all);
    return all;
  }
  constexpr std::uint64_t reserve = 4;  // a code that recovers fewer than 1 of 4 patterns is not worth timing
  std::set<Positions> seen;
  std::vector<Positions> drawn;
  Positions positions = all_but({}, chunk_count);
  while (drawn.size() < std::min(reserve * most, pattern_count(chunk_count, erasures))) {
    shuffle(engine, positions);
    Positions pattern(positions.begin(), positions.begin() + erasures);
    std::ranges::sort(pattern);
    if (seen.insert(pattern).second) drawn.push_back(pattern);
  }
  return drawn;
}

ErasurePatterns consider_random(const ErasureCode& code, const Point& point, const Positions& wanted, std::uint64_t most) {
  // If there are few patterns, all of them are considered, so that all unrecoverable patterns are counted. A time limit is needed,
  // because some codes take seconds to make a plan.
  constexpr double patience_seconds = 1;
  std::mt19937_64 engine(point.seed);
  const std::vector<Positions> drawn = drawn_patterns(engine, code.chunk_count(), point.erasures, most);
  const std::uint64_t enough = point.iterations == 0 ? most : std::min(most, point.iterations);
  const bool few = drawn.size() <= most;
  Planner planner(code, wanted);
  for (const Positions& erased : drawn) {
    const bool done = planner.patterns.plans.size() >= enough && !few;
    const bool too_slow = !planner.patterns.plans.empty() && planner.seconds() > patience_seconds;
    if (done || too_slow) break;
    planner.consider(erased);
  }
  if (planner.patterns.plans.size() > enough) planner.patterns.plans.resize(enough);
  return std::move(planner.patterns);
}

void check(const ErasureCode& code, const Positions& erased, LossCount& count) {
  count.checked++;
  if (!recovers([&] { static_cast<void>(code.plan_uncached(erased, erased)); })) count.unrecoverable++;
}

/// Checks `most` patterns, or all if there are not more, in lexicographic order, each with the same probability (selection
/// sampling: Knuth, "The Art of Computer Programming", volume 2, algorithm 3.4.2S).
void check_in_order(const ErasureCode& code, int losses, std::uint64_t most, std::mt19937_64& engine, LossCount& count) {
  Positions erased = all_but({}, losses);
  std::uint64_t left = count.patterns;
  do {
    if (left <= most - count.checked || engine() % left < most - count.checked) check(code, erased, count);
    left--;
  } while (count.checked < most && next_pattern(erased, code.chunk_count()));
}

/// The code must have more than 2 * `most` patterns, so that few are drawn twice.
void check_drawn(const ErasureCode& code, int losses, std::uint64_t most, std::mt19937_64& engine, LossCount& count) {
  std::set<Positions> seen;
  Positions positions = all_but({}, code.chunk_count());
  while (count.checked < most) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(losses); i++) {
      std::swap(positions[i], positions[i + engine() % (positions.size() - i)]);
    }
    Positions erased(positions.begin(), positions.begin() + losses);
    std::ranges::sort(erased);
    if (seen.insert(erased).second) check(code, erased, count);
  }
}

bool can_be_read(const std::vector<SubChunkRun>& runs, int sub_chunk_count) {
  int end = 0;
  for (const SubChunkRun& run : runs) {
    if (run.first < end || run.count < 1 || run.count > sub_chunk_count - run.first) return false;
    end = run.first + run.count;
  }
  return !runs.empty();
}

/// Adjacent runs are one read.
int contiguous_reads(const std::vector<SubChunkRun>& runs) {
  int count = 0;
  int end = -1;
  for (const SubChunkRun& run : runs) {
    count += run.first != end;
    end = run.first + run.count;
  }
  return count;
}

}  // namespace

void check_erased(const Positions& erased, int chunk_count) {
  if (erased.empty() || erased.back() < chunk_count) return;
  throw Error("--erased " + std::to_string(erased.back()) + " is not allowed: the chunks are 0 to " +
              std::to_string(chunk_count - 1));
}

void check_erasures(const Point& point, int chunk_count, int coding_chunk_count) {
  check_erased(point.erased, chunk_count);
  if (point.erasures > coding_chunk_count) {
    throw Error((point.erased.empty() ? "--erasures " + std::to_string(point.erasures)
                                      : "--erased with " + std::to_string(point.erasures) + " chunks") +
                " is not allowed: this code can lose at most " + std::to_string(coding_chunk_count) + " of its " +
                std::to_string(chunk_count) + " chunks");
  }
}

std::uint64_t pattern_count(int chunk_count, int erasures) {
  long double count = 1;
  for (int i = 1; i <= erasures; i++) count = count * (chunk_count - erasures + i) / i;
  return count >= 1.8e19L ? uncountable_patterns : static_cast<std::uint64_t>(std::round(count));
}

std::string pattern_count_text(std::uint64_t count) {
  return count == uncountable_patterns ? "more than 10^19" : std::to_string(count);
}

bool next_pattern(Positions& pattern, int chunk_count) {
  const int size = static_cast<int>(pattern.size());
  for (int i = size - 1; i >= 0; i--) {
    if (pattern[static_cast<std::size_t>(i)] < chunk_count - size + i) {
      std::iota(pattern.begin() + i, pattern.end(), pattern[static_cast<std::size_t>(i)] + 1);
      return true;
    }
  }
  return false;
}

ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point) {
  const Positions wanted = wanted_positions(code, point.want);
  ErasurePatterns patterns;
  if (!point.erased.empty()) {
    patterns.considered = 1;
    patterns.plans.push_back(code.plan(point.erased, wanted));
    return patterns;
  }
  const std::uint64_t count = pattern_count(code.chunk_count(), point.erasures);
  if (point.generation == ErasureGeneration::exhaustive) {
    if (count > most_exhaustive_patterns) {
      throw Error("--erasures-generation exhaustive is not allowed with --erasures " + std::to_string(point.erasures) + ": the " +
                  std::to_string(code.chunk_count()) + " chunks have " + pattern_count_text(count) +
                  " patterns with this number of lost chunks; at most " + std::to_string(most_exhaustive_patterns) +
                  " patterns are allowed; give --erasures-generation random");
    }
    patterns = consider_all(code, wanted, all_patterns(code.chunk_count(), point.erasures));
  } else {
    patterns = consider_random(code, point, wanted,
                               std::clamp(checked_bytes / point.size_bytes, fewest_random_patterns, most_random_patterns));
  }
  if (patterns.plans.empty()) {
    throw Error("this code cannot recover any of the " + std::to_string(patterns.considered) + " checked patterns of " +
                    std::to_string(point.erasures) + " lost chunks",
                Error::Kind::unrecoverable);
  }
  return patterns;
}

std::shared_ptr<const DecodePlan> decode_plan(const ErasureCode& code, const Point& point, const Positions& erased) {
  return code.plan_uncached(erased, wanted_positions(code, point.want));
}

LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed) {
  LossCount count{.patterns = pattern_count(code.chunk_count(), losses)};
  std::mt19937_64 engine(seed);
  if (count.patterns / 2 <= most) {
    check_in_order(code, losses, most, engine, count);
  } else {
    check_drawn(code, losses, most, engine, count);
  }
  return count;
}

int sub_chunks_of(const std::vector<SubChunkRun>& runs) {
  int count = 0;
  for (const SubChunkRun& run : runs) count += run.count;
  return count;
}

ReadSet reads_for(const ErasureCode& code, const Positions& erased) {
  Positions sorted = erased;
  std::ranges::sort(sorted);
  const Positions left = all_but(sorted, code.chunk_count());
  ReadSet reads = code.minimum_to_decode(erased, left);
  for (const auto& [position, runs] : reads) {
    if (std::ranges::binary_search(left, position) && can_be_read(runs, code.sub_chunk_count())) continue;
    throw Error("the plugin failed: to rebuild lost chunks, it requests chunk " + std::to_string(position) +
                ", but this chunk is lost, or the list of its sub-chunks to read is not valid");
  }
  return reads;
}

bool reads_parts(const ReadSet& reads, int sub_chunk_count) {
  return std::ranges::any_of(reads, [&](const auto& read) { return sub_chunks_of(read.second) < sub_chunk_count; });
}

LostChunks lost_chunks(const ErasureCode& code, const Point& point) {
  LostChunks lost;
  if (!point.erased.empty()) {
    lost.chunks.push_back({point.erased.front(), reads_for(code, point.erased)});
    return lost;
  }
  for (int position = 0; position < code.chunk_count(); position++) {
    if (!recovers([&] { lost.chunks.push_back({position, reads_for(code, {position})}); })) lost.unrecoverable++;
  }
  if (lost.chunks.empty())
    throw Error("this code cannot rebuild any of its chunks from the other chunks", Error::Kind::unrecoverable);
  return lost;
}

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, const Positions& erased) {
  int read = 0;
  int requests = 0;
  for (const auto& [position, runs] : reads) {
    read += sub_chunks_of(runs);
    requests += contiguous_reads(runs);
  }
  int primary = 0;
  while (std::ranges::count(erased, primary) > 0) primary++;
  const auto own = reads.find(primary);
  const int received = read - (own == reads.end() ? 0 : sub_chunks_of(own->second));
  const double helpers = std::max<double>(1, static_cast<double>(reads.size()));
  return {.chunks_read = static_cast<double>(reads.size()),
          .drive_factor = static_cast<double>(read) / sub_chunk_count,
          .network_factor = static_cast<double>(received) / sub_chunk_count + static_cast<double>(erased.size()),
          .reads_per_helper = requests / helpers};
}

BlockReads block_reads(const ReadSet& reads, int sub_chunk_count, std::uint64_t stripe_chunk_bytes, std::uint64_t block_bytes) {
  // After these stripes, the positions of blocks repeat.
  const std::uint64_t stripes = block_bytes / std::gcd(stripe_chunk_bytes, block_bytes);
  const std::uint64_t blocks = stripes * stripe_chunk_bytes / block_bytes;
  const double sub_chunk_bytes = static_cast<double>(stripe_chunk_bytes) / sub_chunk_count;
  std::uint64_t read = 0;
  std::uint64_t requests = 0;
  for (const auto& [position, runs] : reads) {
    std::vector<bool> is_read(blocks);
    for (std::uint64_t stripe = 0; stripe < stripes; stripe++) {
      for (const SubChunkRun& run : runs) {
        const auto begin = stripe * stripe_chunk_bytes + static_cast<std::uint64_t>(std::llround(run.first * sub_chunk_bytes));
        const auto bytes = static_cast<std::uint64_t>(std::llround(run.count * sub_chunk_bytes));
        for (std::uint64_t block = begin / block_bytes; block <= (begin + bytes - 1) / block_bytes; block++) is_read[block] = true;
      }
    }
    read += static_cast<std::uint64_t>(std::ranges::count(is_read, true));
    // Before the first block is the last one of the previous stripes.
    for (std::uint64_t block = 0; block < blocks; block++) requests += is_read[block] && !is_read[(block + blocks - 1) % blocks];
  }
  const double helpers = std::max<double>(1, static_cast<double>(reads.size()));
  return {.factor = static_cast<double>(read) / static_cast<double>(blocks),
          .reads_per_helper = static_cast<double>(requests) / static_cast<double>(stripes) / helpers};
}

ReadCost mean_read_cost(std::span<const LostChunk> repairs, int sub_chunk_count) {
  ReadCost mean;
  for (const LostChunk& each : repairs) {
    const ReadCost cost = read_cost(each.reads, sub_chunk_count, {each.position});
    mean.chunks_read += cost.chunks_read;
    mean.drive_factor += cost.drive_factor;
    mean.network_factor += cost.network_factor;
    mean.reads_per_helper += cost.reads_per_helper;
  }
  const auto count = static_cast<double>(repairs.size());
  return {mean.chunks_read / count, mean.drive_factor / count, mean.network_factor / count, mean.reads_per_helper / count};
}

}  // namespace ecbench
