#include "restore/restored_object.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "benchmark/objects/encoded_object.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

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

void check_agreement(RestoredObject& object, const ChunkFiles& files, const Origin& origin) {
  const Positions disagreeing = object.disagreeing();
  if (disagreeing.empty()) return;
  std::string cause = "the profile or the stripe unit is wrong";
  if (origin.chunks.digests.empty()) {
    const Positions suspects = object.suspects();
    const std::string suspect = suspects.size() == 1 ? std::to_string(suspects.front()) : "";
    cause = !suspect.empty() ? "without chunk " + suspect + " all chunks agree: if it is damaged, leave it out with --erased " +
                                   suspect + "; if the files of other chunks were exchanged, correct their names"
                             : "either too few chunks remain to find the damaged chunk, or several are damaged, or " + cause;
  }
  throw Error("the chunks in " + files.directory + " do not belong together: " + chunks_text(disagreeing) +
                  (disagreeing.size() == 1 ? " disagrees" : " disagree") +
                  " with the object that was decoded from the other chunks; " + cause,
              Error::Kind::wrong_bytes);
}

void check_padding(const RestoredObject& object, const Cut& cut) {
  for (const std::span<const std::uint8_t> piece : object.padding(cut.object_size)) {
    if (std::ranges::all_of(piece, [](std::uint8_t byte) { return byte == 0; })) continue;
    throw Error("--size " + std::to_string(cut.object_size) +
                " is not allowed: some bytes after this size are not zero, so these bytes are not padding; give the size of the "
                "object, and the right profile and stripe unit");
  }
}

bool has_digest(const RestoredObject& object, const Cut& cut, const Origin& origin) {
  return origin.chunks.digest_of(object.object(cut.object_size)) == origin.object_digest;
}

/// The other stripe unit, if any, with which the object has its digest.
std::optional<std::size_t> right_stripe_unit(RestoredObject& object, const Cut& cut, const Origin& origin, std::size_t chunk_size) {
  constexpr std::size_t least_unit = 32;
  for (std::size_t unit = least_unit; unit <= chunk_size; unit++) {
    if (chunk_size % unit != 0 || unit == cut.stripe_chunk_size) continue;
    try {
      Cut other{.object_size = cut.object_size, .stripe_chunk_size = stripe_chunk_size(*origin.code, cut.object_size, unit)};
      other.stripe_count = stripe_count(*origin.code, other.object_size, other.stripe_chunk_size);
      if (other.stripe_count * unit != chunk_size) continue;
      object.cut_again(other.stripe_chunk_size, other.stripe_count);
      object.rebuild();
      if (has_digest(object, other, origin)) return unit;
    } catch (const Error&) {
      continue;  // the code does not allow chunks of this size
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_object(RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files) {
  const std::string differs =
      "the decoded object is wrong: its " + origin.chunks.digest_name + " differs from the one in " + origin.digests_source;
  if (origin.chunks.allows_other_names) {
    throw Error(differs + "; the manifest is damaged, or this build decodes incorrectly", Error::Kind::wrong_bytes);
  }
  if (const std::optional<std::size_t> unit = right_stripe_unit(object, cut, origin, files.chunk_size_bytes)) {
    throw Error(differs + "; with --stripe-unit " + std::to_string(*unit) + " it is right: give this stripe unit",
                Error::Kind::wrong_bytes);
  }
  object.cut_again(cut.stripe_chunk_size, cut.stripe_count);
  object.rebuild();
  check_agreement(object, files, origin);
  throw Error(
      differs + (origin.chunks.digests.empty()
                     ? "; a chunk, the profile, the size or the CRC-32C is wrong: read the chunks and the dump again, give more "
                       "chunks, or leave chunks out with --erased; --osdmap gives the profile"
                     : "; the chunks are right, so the profile is wrong: give the profile of the pool, or --osdmap"),
      Error::Kind::wrong_bytes);
}

/// Without a digest of the object.
void warn_of_unverified(const RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files,
                        const Say& say) {
  const Positions unchecked = origin.chunks.digests.empty() ? object.unchecked() : Positions();
  const bool has_dump = !origin.digests_source.empty();
  say("the object could not be compared with a digest: if the profile" +
      std::string(origin.code->data_chunk_count() > 1 ? " or the stripe unit" : "") + " is wrong" +
      (unchecked.empty() ? ""
                         : ", or if " + chunks_text(unchecked) + ", which cannot be checked, " +
                               (unchecked.size() == 1 ? "is" : "are") + " damaged") +
      ", then the object is wrong; " +
      (has_dump
           ? origin.digests_source + " has no digest, because a part of the object was overwritten: check what the object contains"
           : "give --ceph-dump FILE or --crc32c VALUE: 'ceph-objectstore-tool --data-path PATH OBJECT dump' prints the digest"));
  if (origin.stripe_unit == 0 && origin.code->data_chunk_count() > 1) {
    say("DIR " + files.directory + " was read as one stripe; if it was encoded with a stripe unit, give --stripe-unit");
  }
  if (!origin.object_size) {
    say("without --size, ecbench writes the object and its padding, in total " + counted_bytes(cut.object_size));
  }
}

}  // namespace

RestoredObject::RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count,
                               Positions available)
    : code_(code),
      stripe_chunk_size_(stripe_chunk_size),
      stripe_count_(stripe_count),
      available_(std::move(available)),
      lost_(all_but(available_, code.chunk_count())),
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

void RestoredObject::check_recoverable() const { static_cast<void>(code_.plan(lost_, data_among(code_, lost_))); }

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
  return recovers([&] { static_cast<void>(code_.plan_uncached(with(lost_, position), {position})); });
}

Positions RestoredObject::disagreeing() { return disagreeing_among(available_); }

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

Positions RestoredObject::suspects(const std::function<bool()>& is_right) {
  Positions found;
  for (const int suspect : available_) {
    const std::span<std::uint8_t> chunk = chunks_.bytes(suspect);
    const std::vector<std::uint8_t> saved(chunk.begin(), chunk.end());
    bool may_be_damaged = !is_right;  // if the others are too few
    recovers([&] {
      rebuild_without(with(lost_, suspect));
      may_be_damaged = (!is_right || is_right()) && disagreeing_among(without(available_, suspect)).empty();
    });
    std::ranges::copy(saved, chunk.begin());
    if (may_be_damaged) found.push_back(suspect);
  }
  return found;
}

std::vector<std::span<const std::uint8_t>> RestoredObject::object(std::size_t size_bytes) const { return pieces(0, size_bytes); }

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

void lose_damaged(RestoredObject& object, const ChunkFiles& files, const Origin& origin, const Say& say) {
  if (files.damaged.empty()) return;
  std::string differ =
      chunks_text(files.damaged) + (files.damaged.size() == 1 ? " differs" : " differ") + " from " + origin.digests_source;
  for (const auto& [position, other] : files.other_chunk) {
    differ += "; file " + std::to_string(position) + " contains chunk " + std::to_string(other);
  }
  object.lose(files.damaged);
  try {
    object.check_recoverable();
  } catch (const Error& error) {
    throw Error(differ + "; the other chunks are too few to decode the object (" + error.what() + ")" +
                    (!files.other_chunk.empty()         ? ": give each file the number of the chunk that it contains"
                     : origin.chunks.allows_other_names ? ""
                                                        : ": the chunks and the dump may be of different objects or versions; read "
                                                          "them again, from other OSDs too"),
                Error::Kind::wrong_bytes);
  }
  say(differ + (files.damaged.size() == 1 ? "; this chunk is" : "; these chunks are") + " damaged and treated as lost");
}

void verify(RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say) {
  if (origin.object_digest.empty()) {
    check_agreement(object, files, origin);
    check_padding(object, cut);
    return;
  }
  if (!has_digest(object, cut, origin)) {
    Positions damaged;
    if (origin.chunks.digests.empty()) damaged = object.suspects([&] { return has_digest(object, cut, origin); });
    if (damaged.empty()) refuse_object(object, cut, origin, files);
    object.lose({damaged.front()});
    object.rebuild();
    say("the object is right without chunk " + std::to_string(damaged.front()) + ", which is damaged and treated as lost");
  }
  const Positions disagreeing = object.disagreeing();
  if (disagreeing.empty()) return;
  say("the object is right, but does not agree with " + chunks_text(disagreeing) + ": " +
      (origin.chunks.digests.empty() ? disagreeing.size() == 1 ? "this chunk is damaged, or " : "these chunks are damaged, or "
                                     : "") +
      "the profile is wrong");
}

void report_verified(const RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say) {
  std::string verified;
  if (!origin.object_digest.empty()) verified = origin.chunks.digest_name + " of the object";
  if (!origin.chunks.digests.empty()) {
    verified += (verified.empty() ? origin.chunks.digest_name + " of " : " and of ") + chunks_text(files.present);
  } else if (origin.object_digest.empty()) {
    Positions checked;
    std::ranges::set_difference(files.present, object.unchecked(), std::back_inserter(checked));
    if (!checked.empty()) verified = chunks_text(checked) + " agree";
  }
  say("restored " + counted_bytes(cut.object_size) + "; verified: " + (verified.empty() ? "nothing" : verified));
  if (origin.object_digest.empty()) warn_of_unverified(object, cut, origin, files, say);
}

}  // namespace ecbench
