// An object, encoded and checked, with a copy to compare with. It is the ground under every workload: whatever a code computes is
// compared with the copy, which was itself decoded back from every coding chunk before anything is timed.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/objects/helper_parts.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

class EncodedObject {
 public:
  /// Pointers to one stripe's chunks.
  struct Stripe {
    std::vector<const std::uint8_t*> data;  ///< in the object's order
    std::vector<std::uint8_t*> coding;      ///< in the order of coding_positions()
    std::vector<std::uint8_t*> chunks;      ///< by position
  };

  /// Pads and splits `object`, encodes it, and checks the encoding: every byte of the coding chunks is written whatever was there
  /// before, and the data is decoded back through each of them in turn; one through which nothing can be decoded is rebuilt. Of
  /// more than 256, it is decoded back through some that are spread evenly, and all others are rebuilt from it. With a
  /// `stripe_unit` the object is encoded as an OSD does, in stripes of k chunks of that many bytes, and a chunk here is all that
  /// one OSD holds of them, one stripe behind the other. For those of `lost` that are repaired from parts of chunks, these are
  /// gathered for repair(). Throws Error: wrong_bytes if a check fails, bad_input if the code has no chunks of `stripe_unit` bytes.
  /// Ask require_memory() first.
  EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object, std::size_t stripe_unit = 0,
                std::vector<LostChunk> lost = {});

  /// The same object in another place in memory.
  EncodedObject(const EncodedObject& other) : EncodedObject(other, nullptr) {}
  /// The same with its chunks and parts in `arena`, which outlives it; null: in memory of their own.
  EncodedObject(const EncodedObject& other, Arena* arena);
  EncodedObject& operator=(const EncodedObject&) = delete;

  const ErasureCode& code() const { return code_; }
  /// The chunks by position, all stripes of each.
  const ChunkBuffers& chunks() const { return chunks_; }
  /// Bytes of a chunk of one stripe.
  std::size_t chunk_size_bytes() const { return chunk_size_; }
  std::size_t stripe_count() const { return stripes_.size(); }
  std::span<const Stripe> stripes() const { return stripes_; }
  std::size_t object_size_bytes() const { return object_size_; }
  /// What the chunks take in memory.
  std::size_t footprint_bytes() const;
  /// The parts that repair() reads; none where none were asked for.
  const std::optional<HelperParts>& helper_parts() const { return helper_parts_; }

  /// Encodes the data chunks once.
  void encode() const {
    for (const Stripe& stripe : stripes_) code_.encode(stripe.data, stripe.coding, chunk_size_);
  }

  /// Runs `plan` once.
  void decode(const DecodePlan& plan) const {
    for (const Stripe& stripe : stripes_) code_.decode(plan, stripe.chunks, chunk_size_);
  }

  /// Rebuilds chunk number `lost` of helper_parts(), which are there, once, from its parts.
  void repair(std::size_t lost) const {
    const auto position = (*helper_parts_->lost())[lost].position;
    for (std::size_t stripe = 0; stripe < stripes_.size(); stripe++) {
      code_.repair()->repair(position, helper_parts_->of(lost, stripe), stripes_[stripe].chunks[static_cast<std::size_t>(position)],
                             chunk_size_);
    }
  }

  /// Overwrites the chunks at `positions` with the complement of their true bytes, so that none of them is right by chance.
  void poison(const Positions& positions) const;
  /// Puts their true bytes back.
  void restore(const Positions& positions) const;

  /// Poisons what `plan` has erased, decodes, and compares every chunk but the erased ones that the plan does not rebuild. Leaves
  /// all chunks as they were. Throws Error (wrong_bytes).
  void check_decode(const DecodePlan& plan) const;

  /// Compares every chunk with its copy, and the helpers' parts, if there are any, with what they were gathered from. Throws Error
  /// (wrong_bytes) that names the chunk, the first wrong byte and `what` was done.
  void check(const char* what) const;
  /// The same for one chunk.
  void check(int position, const char* what) const;

  /// Compares `bytes` with what the chunk at `position` must hold of stripe `stripe`. Throws Error (wrong_bytes).
  void check_chunk(int position, std::size_t stripe, std::span<const std::uint8_t> bytes, const char* what) const;

 private:
  void point_stripes_at_chunks(std::size_t stripe_count);
  void place(std::span<const std::uint8_t> object);
  void gather(std::shared_ptr<const std::vector<LostChunk>> lost, Arena* arena);
  void check_except(const Positions& left_out, const char* what) const;
  void check_coding_chunks() const;
  void check_coding_chunk(int coding_position, bool rebuilds_all) const;
  /// A plan that reads the chunk at `position` and rebuilds a data chunk, or all lost chunks; null if none is found.
  std::shared_ptr<const DecodePlan> plan_through(int position, bool rebuilds_all) const;

  const ErasureCode& code_;
  std::size_t object_size_;
  std::size_t chunk_size_;
  ChunkBuffers chunks_;
  std::shared_ptr<const ChunkBuffers> truth_;
  std::vector<Stripe> stripes_;
  std::optional<HelperParts> helper_parts_;
};

/// Bytes of a stripe's chunk: `stripe_unit`, or the code's choice for the whole object if that is 0. Throws Error if the code pads
/// chunks of `stripe_unit` bytes, if its chunks are too small for the object, or if all chunks of the object together exceed
/// most_memory_bytes. Every size that is computed from the result fits in a size_t.
std::size_t stripe_chunk_size(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit);

/// How many stripes of such chunks the object fills.
std::size_t stripe_count(const ErasureCode& code, std::size_t object_size, std::size_t chunk_size);

/// What padding adds to the object, in percent of it.
double padding_percent(std::size_t object_size, int data_chunk_count, std::size_t chunk_size);

/// What one copy of an EncodedObject of `object_size` bytes takes in memory.
std::size_t footprint_bytes(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit,
                            std::span<const LostChunk> lost);

}  // namespace ecbench
