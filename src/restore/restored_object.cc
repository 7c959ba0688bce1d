#include "restore/restored_object.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "erasure_code/error.h"
#include "erasure_code/index.h"

namespace ecbench {
namespace {

Positions others_than(const Positions& positions, int chunk_count) {
  Positions others;
  for (int position = 0; position < chunk_count; position++) {
    if (!std::ranges::binary_search(positions, position)) others.push_back(position);
  }
  return others;
}

Positions with(Positions positions, int another) {
  positions.insert(std::ranges::upper_bound(positions, another), another);
  return positions;
}

Positions without(Positions positions, int one) {
  std::erase(positions, one);
  return positions;
}

/// `positions` must be ascending.
Positions data_among(const ErasureCode& code, const Positions& positions) {
  Positions data;
  std::ranges::copy_if(code.data_positions(), std::back_inserter(data),
                       [&](int position) { return std::ranges::binary_search(positions, position); });
  return data;
}

}  // namespace

RestoredObject::RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count,
                               Positions available)
    : code_(code),
      stripe_chunk_size_(stripe_chunk_size),
      stripe_count_(stripe_count),
      available_(std::move(available)),
      lost_(others_than(available_, code.chunk_count())),
      chunks_(code.chunk_count(), stripe_chunk_size * stripe_count),
      encoded_(code.coding_chunk_count(), stripe_chunk_size) {}

double RestoredObject::memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count) {
  const auto chunk = static_cast<double>(stripe_chunk_size) * static_cast<double>(stripe_count);
  const double one_saved = chunk;
  return chunk * code.chunk_count() + static_cast<double>(stripe_chunk_size) * code.coding_chunk_count() + one_saved;
}

void RestoredObject::cut_again(std::size_t stripe_chunk_size, std::size_t stripe_count) {
  stripe_chunk_size_ = stripe_chunk_size;
  stripe_count_ = stripe_count;
  encoded_ = ChunkBuffers(code_.coding_chunk_count(), stripe_chunk_size);
}

std::vector<std::uint8_t*> RestoredObject::stripe_of(std::size_t stripe) const {
  std::vector<std::uint8_t*> pointers;
  for (std::uint8_t* chunk : chunks_.all()) pointers.push_back(chunk + stripe * stripe_chunk_size_);
  return pointers;
}

void RestoredObject::rebuild_without(const Positions& lost) {
  const Positions wanted = data_among(code_, lost);
  if (wanted.empty()) return;
  const std::shared_ptr<const DecodePlan> plan = code_.plan(lost, wanted);
  for (std::size_t stripe = 0; stripe < stripe_count_; stripe++) code_.decode(*plan, stripe_of(stripe), stripe_chunk_size_);
}

void RestoredObject::lose(const Positions& positions) {
  for (const int position : positions) {
    if (std::erase(available_, position) > 0) lost_ = with(lost_, position);
  }
}

void RestoredObject::check_recoverable() const {
  static_cast<void>(code_.plan(lost_, data_among(code_, lost_)));
}

Positions RestoredObject::unchecked() const {
  Positions data = data_among(code_, available_);
  std::ranges::sort(data);
  const Positions reads = code_.plan(lost_, data_among(code_, lost_))->reads;
  Positions used;
  std::ranges::set_union(data, reads, std::back_inserter(used));
  std::erase_if(used, [&](int position) { return can_be_rebuilt(position); });
  return used;
}

bool RestoredObject::can_be_rebuilt(int position) const {
  try {
    static_cast<void>(code_.plan_uncached(with(lost_, position), {position}));
    return true;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return false;
  }
}

Positions RestoredObject::disagreeing() {
  return disagreeing_among(available_);
}

Positions RestoredObject::disagreeing_among(const Positions& available) {
  const std::span<const int> coding = code_.coding_positions();
  std::vector<bool> differs(coding.size());
  for (std::size_t stripe = 0; stripe < stripe_count_; stripe++) {
    const std::vector<std::uint8_t*> pointers = stripe_of(stripe);
    std::vector<const std::uint8_t*> data;
    for (const int position : code_.data_positions()) data.push_back(pointers[index(position)]);
    code_.encode(data, encoded_.all(), stripe_chunk_size_);
    for (std::size_t i = 0; i < coding.size(); i++) {
      if (!std::ranges::binary_search(available, coding[i])) continue;
      const std::uint8_t* found = pointers[index(coding[i])];
      differs[i] = differs[i] || std::memcmp(found, encoded_[static_cast<int>(i)], stripe_chunk_size_) != 0;
    }
  }
  Positions result;
  for (std::size_t i = 0; i < coding.size(); i++) {
    if (differs[i]) result.push_back(coding[i]);
  }
  return result;
}

// True if the other available chunks agree, or are too few.
bool RestoredObject::may_be_damaged(int suspect) {
  const std::span<std::uint8_t> chunk = chunks_.bytes(suspect);
  const std::vector<std::uint8_t> saved(chunk.begin(), chunk.end());
  bool may_be = true;
  try {
    rebuild_without(with(lost_, suspect));
    may_be = disagreeing_among(without(available_, suspect)).empty();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
  }
  std::ranges::copy(saved, chunk.begin());
  return may_be;
}

std::optional<int> RestoredObject::only_suspect() {
  std::optional<int> found;
  for (const int suspect : available_) {
    if (!may_be_damaged(suspect)) continue;
    if (found) return std::nullopt;
    found = suspect;
  }
  return found;
}

std::vector<std::span<const std::uint8_t>> RestoredObject::object(std::size_t size_bytes) const {
  return pieces(0, size_bytes);
}

std::vector<std::span<const std::uint8_t>> RestoredObject::padding(std::size_t size_bytes) const {
  return pieces(size_bytes, chunks_.chunk_size_bytes() * code_.data_positions().size());
}

std::vector<std::span<const std::uint8_t>> RestoredObject::pieces(std::size_t begin, std::size_t end) const {
  std::vector<std::span<const std::uint8_t>> result;
  std::size_t offset = 0;
  for (std::size_t stripe = 0; stripe < stripe_count_; stripe++) {
    for (const int position : code_.data_positions()) {
      const std::size_t from = std::clamp(begin, offset, offset + stripe_chunk_size_);
      const std::size_t to = std::clamp(end, from, offset + stripe_chunk_size_);
      const std::uint8_t* chunk = chunks_[position] + stripe * stripe_chunk_size_;
      if (to > from) result.emplace_back(chunk + (from - offset), to - from);
      offset += stripe_chunk_size_;
    }
  }
  return result;
}

}  // namespace ecbench
