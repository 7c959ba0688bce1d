#include "benchmark/objects/encoded_object.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "benchmark/objects/overwrites.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

void copy_chunks(const ChunkBuffers& from, const ChunkBuffers& to, std::span<const int> positions) {
  for (const int position : positions) std::memcpy(to[position], from[position], to.chunk_size_bytes());
}

void compare(std::span<const std::uint8_t> found, std::span<const std::uint8_t> expected, int position, std::size_t offset,
             const char* what) {
  if (std::memcmp(found.data(), expected.data(), found.size()) == 0) return;
  const auto wrong = static_cast<std::size_t>(std::ranges::mismatch(found, expected).in1 - found.begin());
  throw Error(std::string("wrong bytes after ") + what + ": chunk " + std::to_string(position) +
                  " differs from the correct bytes; the first wrong byte is byte " + std::to_string(offset + wrong),
              Error::Kind::wrong_bytes);
}

constexpr std::size_t block_bytes = 4096;  // stays in the L1 cache

/// block_bytes pseudo-random bytes without a 0. Different for each of 8192 positions.
const std::uint8_t* wrong_mask(int position, std::size_t block) {
  constexpr std::size_t starts = 8192;
  static const auto words = [] {
    std::array<std::uint64_t, starts + block_bytes / sizeof(std::uint64_t)> made;
    std::mt19937_64 engine(1);
    for (std::uint64_t& word : made) word = engine() | 0x0101010101010101;
    return made;
  }();
  const std::size_t start = static_cast<std::size_t>(position) * 5003 + block * 3001;  // odd factors
  return reinterpret_cast<const std::uint8_t*>(words.data() + start % starts);
}

/// Every byte of `to` differs from that of `correct`; the differences depend on `position`. If `checks` is not null, throws Error
/// (wrong_bytes) if `to` was not correct before.
void write_wrong_bytes(std::span<const std::uint8_t> correct, std::uint8_t* to, int position, const char* checks) {
  for (std::size_t offset = 0; offset < correct.size(); offset += block_bytes) {
    const std::size_t size = std::min(block_bytes, correct.size() - offset);
    const std::uint8_t* const from = correct.data() + offset;
    std::uint8_t* const block = to + offset;
    if (checks != nullptr) compare({block, size}, {from, size}, position, offset, checks);
    const std::uint8_t* const mask = wrong_mask(position, offset / block_bytes);
    for (std::size_t i = 0; i < size; i++) block[i] = from[i] ^ mask[i];
  }
}

/// `count` evenly spaced elements, with the first and the last.
Positions spread(std::span<const int> positions, std::size_t count) {
  Positions chosen;
  for (std::size_t i = 0; i < count; i++) chosen.push_back(positions[i * (positions.size() - 1) / (count - 1)]);
  return chosen;
}

[[noreturn]] void refuse_size(std::size_t size) {
  throw Error("an object or stripe of " + std::to_string(size) + " bytes is too large: all its chunks together may have at most " +
              std::to_string(most_memory_bytes) + " bytes; give a smaller --size or --stripe-unit");
}

StripeLayout layout_of(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit) {
  const std::size_t chunk_size = stripe_chunk_size(code, object_size, stripe_unit);
  return {code.chunk_count(), code.sub_chunk_count(), chunk_size, stripe_count(code, object_size, chunk_size)};
}

/// Buffers of stripe_count * chunk_size bytes, in addition to the chunks.
int extra_buffers(const ErasureCode& code, const Extras& extras, std::size_t chunk_size, std::size_t stripe_count) {
  return overwrite_buffers(code, extras.changed_chunks, chunk_size, stripe_count) +
         (extras.recomputes_coding ? code.coding_chunk_count() : 0);
}

/// Null if `wanted` cannot be rebuilt.
std::shared_ptr<const DecodePlan> plan_if_recoverable(const ErasureCode& code, const Positions& erased, const Positions& wanted) {
  try {
    return code.plan_uncached(erased, wanted);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    return nullptr;
  }
}

}  // namespace

std::size_t stripe_chunk_size(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit) {
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  // So that codes need not round up sizes near 2^64.
  for (const std::size_t size : {object_size, stripe_unit}) {
    if (size > most_memory_bytes) refuse_size(size);
  }
  const std::size_t stripe_size = stripe_unit == 0 ? object_size : checked_product(k, stripe_unit);
  if (stripe_size > most_memory_bytes) refuse_size(stripe_size);
  const std::size_t chunk_size = code.chunk_size(stripe_size);
  if (chunk_size == 0 || chunk_size < stripe_size / k + (stripe_size % k != 0)) {
    throw Error("the plugin failed: its " + std::to_string(k) + " data chunks of " + std::to_string(chunk_size) +
                " bytes are too small for an object of " + std::to_string(stripe_size) + " bytes");
  }
  if (stripe_unit != 0 && chunk_size != stripe_unit) {
    throw Error("--stripe-unit " + std::to_string(stripe_unit) + " is not allowed: this code would pad each chunk to " +
                std::to_string(chunk_size) + " bytes; give a stripe unit that needs no padding");
  }
  const std::size_t stripe_bytes = checked_product(chunk_size, static_cast<std::size_t>(code.chunk_count()));
  if (checked_product(stripe_bytes, stripe_count(code, object_size, chunk_size)) > most_memory_bytes) refuse_size(object_size);
  return chunk_size;
}

std::size_t stripe_count(const ErasureCode& code, std::size_t object_size, std::size_t chunk_size) {
  const std::size_t width = checked_product(chunk_size, static_cast<std::size_t>(code.data_chunk_count()));
  return object_size / width + (object_size % width != 0);
}

double padding_percent(std::size_t object_size, int data_chunk_count, std::size_t chunk_size) {
  const std::size_t width = static_cast<std::size_t>(data_chunk_count) * chunk_size;
  if (object_size == 0 || width == 0) return 0;
  const std::size_t padding = (width - object_size % width) % width;
  return 100.0 * static_cast<double>(padding) / static_cast<double>(object_size);
}

std::size_t footprint_bytes(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit,
                            std::span<const LostChunk> lost, const Extras& extras) {
  const StripeLayout layout = layout_of(code, object_size, stripe_unit);
  const int extra = extra_buffers(code, extras, layout.chunk_size, layout.stripe_count);
  return ChunkBuffers::memory_bytes(layout.chunk_count + extra, layout.chunk_size * layout.stripe_count) +
         HelperParts::memory_bytes(lost, layout);
}

EncodedObject::EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object, std::size_t stripe_unit,
                             std::vector<LostChunk> lost, const Extras& extras)
    : code_(code),
      object_size_(object.size()),
      chunk_size_(stripe_chunk_size(code, object.size(), stripe_unit)),
      extras_(extras),
      chunks_(code.chunk_count(), chunk_size_ * ecbench::stripe_count(code, object.size(), chunk_size_), nullptr,
              extra_buffers(code, extras, chunk_size_, ecbench::stripe_count(code, object.size(), chunk_size_))),
      truth_(std::make_shared<const ChunkBuffers>(code.chunk_count(), chunks_.chunk_size_bytes(), nullptr, extras.changed_chunks)) {
  point_stripes_at_chunks(chunks_.chunk_size_bytes() / chunk_size_);
  place(object);
  fill_new_bytes(*truth_, extras.changed_chunks);
  copy_chunks(*truth_, chunks_, new_bytes_positions());
  if (extras.changed_chunks > 0) overwrite_digests_ = std::make_shared<const std::vector<std::uint64_t>>(digests_of_overwrites());
  encode_twice();
  check_coding_chunks();
  std::erase_if(lost, [&](const LostChunk& chunk) { return !reads_parts(chunk.reads, code.sub_chunk_count()); });
  if (!lost.empty()) gather(std::make_shared<const std::vector<LostChunk>>(std::move(lost)), nullptr);
}

EncodedObject::EncodedObject(const EncodedObject& other, Arena* arena)
    : code_(other.code_),
      object_size_(other.object_size_),
      chunk_size_(other.chunk_size_),
      extras_(other.extras_),
      chunks_(other.chunks_.count(), other.chunks_.chunk_size_bytes(), arena,
              extra_buffers(code_, extras_, chunk_size_, other.stripe_count())),
      truth_(other.truth_),
      overwrite_digests_(other.overwrite_digests_) {
  point_stripes_at_chunks(other.stripe_count());
  copy_chunks(*truth_, chunks_, code_.data_positions());
  copy_chunks(*truth_, chunks_, code_.coding_positions());
  copy_chunks(*truth_, chunks_, new_bytes_positions());
  if (other.helper_parts_) gather(other.helper_parts_->lost(), arena);
}

void EncodedObject::gather(std::shared_ptr<const std::vector<LostChunk>> lost, Arena* arena) {
  const StripeLayout layout{chunks_.count(), code_.sub_chunk_count(), chunk_size_, stripe_count()};
  helper_parts_.emplace(std::move(lost), layout, *truth_, arena);
}

std::size_t EncodedObject::footprint_bytes() const {
  const int extra = extra_buffers(code_, extras_, chunk_size_, stripe_count());
  return ChunkBuffers::memory_bytes(chunks_.count() + extra, chunks_.chunk_size_bytes()) +
         (helper_parts_ ? helper_parts_->memory_bytes() : 0);
}

void EncodedObject::point_stripes_at_chunks(std::size_t stripe_count) {
  for (std::size_t stripe = 0; stripe < stripe_count; stripe++) {
    const auto chunk = [&](int position) { return chunks_[position] + stripe * chunk_size_; };
    Stripe& pointers = stripes_.emplace_back();
    for (const int position : code_.data_positions()) pointers.data.push_back(chunk(position));
    for (const int position : code_.coding_positions()) pointers.coding.push_back(chunk(position));
    for (int position = 0; position < chunks_.count(); position++) pointers.chunks.push_back(chunk(position));
    for (const int buffer : new_bytes_positions()) pointers.new_bytes.push_back(chunk(buffer));
  }
  if (!extras_.recomputes_coding) return;
  const int first = chunks_.count() + overwrite_buffers(code_, extras_.changed_chunks, chunk_size_, stripe_count);
  for (int i = 0; i < code_.coding_chunk_count(); i++) recomputed_.push_back(chunks_[first + i]);
}

Positions EncodedObject::new_bytes_positions() const {
  Positions buffers(static_cast<std::size_t>(extras_.changed_chunks));
  std::iota(buffers.begin(), buffers.end(), chunks_.count());
  return buffers;
}

void EncodedObject::encode_twice() const {
  const Positions coding(code_.coding_positions().begin(), code_.coding_positions().end());
  encode();
  copy_chunks(chunks_, *truth_, coding);
  poison(coding);
  encode();
  check("encoding twice");
}

void EncodedObject::poison_recomputed() const {
  for (std::size_t i = 0; i < recomputed_.size(); i++) {
    const std::uint8_t* correct = stripes_.back().coding[i];
    std::transform(correct, correct + chunk_size_, recomputed_[i],
                   [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  }
}

bool EncodedObject::recompute(std::size_t stripe) const {
  const Stripe& pointers = stripes_[stripe];
  code_.encode(pointers.data, recomputed_, chunk_size_);
  bool is_equal = true;
  for (std::size_t i = 0; i < recomputed_.size(); i++) {
    is_equal &= std::memcmp(recomputed_[i], pointers.coding[i], chunk_size_) == 0;
  }
  return is_equal;
}

void EncodedObject::place(std::span<const std::uint8_t> object) {
  for (const Stripe& stripe : stripes_) {
    for (const int position : code_.data_positions()) {
      const std::size_t size = std::min(object.size(), chunk_size_);
      if (size > 0) std::memcpy(stripe.chunks[static_cast<std::size_t>(position)], object.data(), size);
      object = object.subspan(size);
    }
  }
  copy_chunks(chunks_, *truth_, code_.data_positions());
}

void EncodedObject::poison(const Positions& positions) const {
  for (const int position : positions) write_wrong_bytes(truth_->bytes(position), chunks_[position], position, nullptr);
}

void EncodedObject::restore(const Positions& positions) const { copy_chunks(*truth_, chunks_, positions); }

void EncodedObject::check(const char* what) const {
  check_chunks(what);
  if (helper_parts_) helper_parts_->check(*truth_);
}

void EncodedObject::check(int position, const char* what) const {
  compare(chunks_.bytes(position), truth_->bytes(position), position, 0, what);
}

void EncodedObject::check_decodes(std::span<const std::shared_ptr<const DecodePlan>> plans) const {
  const DecodePlan* before = nullptr;
  for (const auto& plan : plans) {
    for (const int position : plan->erased) {
      const bool is_checked = before == nullptr || std::ranges::binary_search(before->rebuilt, position);
      write_wrong_bytes(truth_->bytes(position), chunks_[position], position, is_checked ? nullptr : "decoding");
    }
    decode(*plan);
    for (const int position : plan->rebuilt) check(position, "decoding");
    Positions not_rebuilt;
    std::ranges::set_difference(plan->erased, plan->rebuilt, std::back_inserter(not_rebuilt));
    restore(not_rebuilt);
    before = plan.get();
  }
  check_chunks("decoding");
}

void EncodedObject::check_chunks(const char* what) const {
  for (int position = 0; position < chunks_.count(); position++) check(position, what);
}

void EncodedObject::check_chunk(int position, std::size_t stripe, std::span<const std::uint8_t> bytes, const char* what) const {
  compare(bytes, truth_->bytes(position).subspan(stripe * chunk_size_, chunk_size_), position, stripe * chunk_size_, what);
}

void EncodedObject::check_coding_chunks() const {
  const std::span<const int> all = code_.coding_positions();
  if (all.size() <= most_checked_one_by_one) {
    for (const int position : all) check_coding_chunk(position, false);
    return;
  }
  constexpr std::size_t fewest = 16;
  constexpr std::size_t checked_bytes = std::size_t{256} << 20;
  constexpr std::size_t overhead_bytes = 256;  // added to each chunk's size, so that an object with many tiny chunks has few checks
  const std::size_t bytes = (chunks_.chunk_size_bytes() + overhead_bytes) * static_cast<std::size_t>(chunks_.count());
  const std::size_t count = std::clamp(checked_bytes / bytes, fewest, most_checked_one_by_one);
  for (const int position : spread(all, count)) check_coding_chunk(position, true);
}

// A data chunk can only be decoded from the chunk at `position` if all other coding chunks are lost too. If layers of the code
// depend on each other, that can be unrecoverable; then fewer losses are tried.
std::shared_ptr<const DecodePlan> EncodedObject::plan_through(int position, bool rebuilds_all) const {
  const auto reads_it = [&](const std::shared_ptr<const DecodePlan>& plan) {
    return plan != nullptr && std::ranges::binary_search(plan->reads, position);
  };
  for (const int data_position : code_.data_positions()) {
    Positions erased{data_position};
    std::ranges::copy_if(code_.coding_positions(), std::back_inserter(erased), [&](int other) { return other != position; });
    if (auto plan = plan_if_recoverable(code_, erased, rebuilds_all ? erased : Positions{data_position}); reads_it(plan))
      return plan;
  }
  constexpr int most_patterns = 500;  // for example, 32 chunks have 496 patterns of two lost chunks
  int tried = 0;
  for (int losses = 1; losses <= code_.coding_chunk_count(); losses++) {
    Positions erased(static_cast<std::size_t>(losses));
    std::iota(erased.begin(), erased.end(), 0);
    do {
      if (++tried > most_patterns) return nullptr;
      if (std::ranges::binary_search(erased, position)) continue;
      if (auto plan = plan_if_recoverable(code_, erased, erased); reads_it(plan)) return plan;
    } while (next_pattern(erased, code_.chunk_count()));
  }
  return nullptr;
}

void EncodedObject::check_coding_chunk(int coding_position, bool rebuilds_all) const {
  std::shared_ptr<const DecodePlan> plan = plan_through(coding_position, rebuilds_all);
  // No decode can use some chunks of valid codes: in lrc with m=1 and l=k+1, each data chunk occurs twice in the XOR of the local
  // coding chunk, which is always zero. Then the coding chunk itself is rebuilt and compared.
  if (plan == nullptr) plan = plan_if_recoverable(code_, {coding_position}, {coding_position});
  if (plan != nullptr) return check_decodes({&plan, 1});
  throw Error("coding chunk " + std::to_string(coding_position) +
                  " cannot be checked: no lost chunk can be decoded from it, and the coding chunk itself cannot be rebuilt",
              Error::Kind::wrong_bytes);
}

}  // namespace ecbench
