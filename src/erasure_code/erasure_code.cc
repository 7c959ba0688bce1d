#include "erasure_code/erasure_code.h"

#include <algorithm>
#include <limits>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/error.h"
#include "erasure_code/plugin.h"

namespace ecbench {
namespace {

Positions ascending(Positions positions, int chunk_count) {
  std::ranges::sort(positions);
  for (std::size_t i = 0; i < positions.size(); i++) {
    if (positions[i] < 0 || positions[i] >= chunk_count) {
      throw Error("chunk " + std::to_string(positions[i]) + " does not exist: the chunks are 0 to " +
                  std::to_string(chunk_count - 1));
    }
    if (i > 0 && positions[i] == positions[i - 1]) {
      throw Error("chunk " + std::to_string(positions[i]) + " is given twice: give each chunk once");
    }
  }
  return positions;
}

/// Returns two lists: the erased chunks, and the erased chunks that must be rebuilt.
PlanCache::Key normalized(const Positions& erased, const Positions& wanted, int chunk_count) {
  PlanCache::Key key{ascending(erased, chunk_count), ascending(wanted, chunk_count)};
  std::erase_if(key.second, [&](int position) { return !std::ranges::binary_search(key.first, position); });
  return key;
}

}  // namespace

ErasureCode::ErasureCode(Shape shape) : shape_(std::move(shape)), cache_(std::make_unique<PlanCache>()) {
  const auto require = [](bool is_valid, const std::string& what) {
    if (!is_valid) throw Error("the plugin failed: its shape has " + what);
  };
  require(shape_.data_chunk_count >= 1 && shape_.chunk_count >= shape_.data_chunk_count && shape_.sub_chunk_count >= 1,
          std::to_string(shape_.data_chunk_count) + " data chunks, " + std::to_string(shape_.chunk_count) + " chunks and " +
              std::to_string(shape_.sub_chunk_count) + " sub-chunks");
  std::vector<int>& data = shape_.data_positions;
  if (data.empty()) data = all_but({}, shape_.data_chunk_count);
  require(data.size() == index(shape_.data_chunk_count),
          std::to_string(data.size()) + " data positions for " + std::to_string(shape_.data_chunk_count) + " data chunks");
  std::vector<bool> is_data(index(shape_.chunk_count));
  for (const int position : data) {
    const bool is_new = position >= 0 && position < shape_.chunk_count && !is_data[index(position)];
    require(is_new, "the data position " + std::to_string(position) + ", which does not exist or occurs twice");
    is_data[index(position)] = true;
  }
  for (int position = 0; position < shape_.chunk_count; position++) {
    if (!is_data[index(position)]) coding_positions_.push_back(position);
  }
  for (int chunk = 0; chunk < shape_.chunk_count; chunk++) in_order_ = in_order_ && position(ChunkNumber{chunk}) == chunk;
}

ErasureCode::~ErasureCode() = default;

std::shared_ptr<const DecodePlan> ErasureCode::plan(const Positions& erased, const Positions& wanted) const {
  const PlanCache::Key key = normalized(erased, wanted, chunk_count());
  if (std::shared_ptr<const DecodePlan> kept = cache_->find(key)) return kept;
  std::shared_ptr<const DecodePlan> made = plan_uncached(key.first, key.second);
  cache_->insert(key, made);
  return made;
}

std::shared_ptr<const DecodePlan> ErasureCode::plan_uncached(const Positions& erased, const Positions& wanted) const {
  auto [lost, rebuilt] = normalized(erased, wanted, chunk_count());
  if (static_cast<int>(lost.size()) > coding_chunk_count()) {
    refuse_unrecoverable(
        lost, "at most " + std::to_string(coding_chunk_count()) + " of " + std::to_string(chunk_count()) + " chunks may be lost");
  }
  std::unique_ptr<DecodePlan> made = rebuilt.empty() ? std::make_unique<DecodePlan>() : make_plan(lost, rebuilt);
  if (made == nullptr) throw Error("the plugin failed: it made no decode plan for the loss of " + chunks_text(lost));
  for (const int position : made->reads) {
    if (position >= 0 && position < chunk_count() && !std::ranges::binary_search(lost, position)) continue;
    throw Error("the plugin failed: its decode plan for the loss of " + chunks_text(lost) + " reads chunk " +
                std::to_string(position) + ", which is lost or does not exist");
  }
  made->erased = std::move(lost);
  made->rebuilt = std::move(rebuilt);
  made->owner = this;
  return made;
}

ReadSet ErasureCode::minimum_to_decode(const Positions& wanted, const Positions& available) const {
  const Positions there = ascending(available, chunk_count());
  const Positions asked = ascending(wanted, chunk_count());
  Positions read = asked;
  if (!std::ranges::includes(there, asked)) {
    read = plan(all_but(there, chunk_count()), asked)->reads;
    Positions kept;
    std::ranges::set_intersection(asked, there, std::back_inserter(kept));
    Positions both;
    std::ranges::set_union(read, kept, std::back_inserter(both));
    read = both;
  }
  ReadSet result;
  for (const int position : read) result[position] = {SubChunkRun{0, sub_chunk_count()}};
  return result;
}

void ErasureCode::refuse_foreign_plan() {
  throw Error("a code was called with the decode plan of another code; use a plan only with the code that made the plan");
}

std::string chunks_text(const Positions& positions) { return (positions.size() == 1 ? "chunk " : "chunks ") + joined(positions); }

void refuse_unrecoverable(const Positions& erased, const std::string& why) {
  throw Error("the loss of " + chunks_text(erased) + " cannot be recovered: " + why, Error::Kind::unrecoverable);
}

Positions all_but(const Positions& left_out, int chunk_count) {
  Positions positions;
  for (int position = 0; position < chunk_count; position++) {
    if (!std::ranges::binary_search(left_out, position)) positions.push_back(position);
  }
  return positions;
}

std::size_t round_up(std::size_t size, std::size_t unit) {
  const std::size_t missing = (unit - size % unit) % unit;
  if (size > std::numeric_limits<std::size_t>::max() - missing) {
    throw Error(std::to_string(size) + " bytes are too many to be padded to a multiple of " + std::to_string(unit));
  }
  return size + missing;
}

std::size_t checked_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw Error(std::to_string(a) + " times " + std::to_string(b) + " bytes are too many: no memory is that large");
}

std::size_t padded_chunk_size(std::size_t object_size, int data_chunk_count, std::size_t unit) {
  const std::size_t k = index(data_chunk_count);
  return round_up(object_size / k + (object_size % k != 0), unit);
}

BenchmarkInfo::~BenchmarkInfo() = default;

void BenchmarkInfo::empty_call() const {}

const BenchmarkInfo& no_benchmark_info() {
  static const BenchmarkInfo none;
  return none;
}

const Parameter& mapping_parameter() {
  static const Parameter parameter = text_parameter(
      "mapping", "",
      "positions of the chunks: one character per position, D for a data chunk; if empty, the data chunks are first");
  return parameter;
}

std::vector<int> mapped_data_positions(const Profile& profile, int data_chunk_count, int chunk_count) {
  const std::string mapping = profile.text("mapping");
  std::vector<int> positions;
  if (mapping.empty()) return positions;
  for (std::size_t i = 0; i < mapping.size(); i++) {
    if (mapping[i] == 'D') positions.push_back(static_cast<int>(i));
  }
  if (static_cast<int>(mapping.size()) != chunk_count || static_cast<int>(positions.size()) != data_chunk_count) {
    refuse(profile, "mapping", std::to_string(chunk_count) + " characters with " + std::to_string(data_chunk_count) + " D",
           "there is one character per chunk, and one D per data chunk");
  }
  return positions;
}

Shape mapped_shape(const Profile& profile) {
  const int k = profile.integer("k");
  const int n = k + profile.integer("m");
  return {.data_chunk_count = k, .chunk_count = n, .data_positions = mapped_data_positions(profile, k, n)};
}

}  // namespace ecbench
