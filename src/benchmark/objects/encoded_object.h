// An encoded object and a verified copy, with which workloads compare. The copy is verified before the timing: each coding chunk is
// used to decode a lost chunk (exceptions: see the constructor).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/erasures/erasures.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

// The bytes that an OSD receives to repair a chunk: each helper's sub-chunks, one after the other, collected before the timing.

/// Stripe s of a chunk is at byte s * chunk_size.
struct StripeLayout {
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size = 0;  ///< chunk size in one stripe
  std::size_t stripe_count = 1;
};

class HelperParts {
 public:
  /// Copies what the repair of each chunk in `lost` reads (each must read parts of chunks), to `arena` unless it is null.
  HelperParts(std::shared_ptr<const std::vector<LostChunk>> lost, const StripeLayout& layout, const ChunkBuffers& chunks,
              Arena* arena);

  static std::size_t memory_bytes(std::span<const LostChunk> lost, const StripeLayout& layout);
  std::size_t memory_bytes() const { return memory_bytes(*lost_, layout_); }

  const std::shared_ptr<const std::vector<LostChunk>>& lost() const { return lost_; }
  /// For each chunk, its part of stripe `stripe` for the repair of lost()[lost]; null if it is not read.
  std::span<const std::uint8_t* const> of(std::size_t lost, std::size_t stripe) const {
    const auto n = static_cast<std::size_t>(layout_.chunk_count);
    return std::span(pointers_[lost]).subspan(stripe * n, n);
  }
  /// Throws Error (wrong_bytes).
  void check(const ChunkBuffers& chunks) const;

 private:
  std::shared_ptr<const std::vector<LostChunk>> lost_;
  StripeLayout layout_;
  std::vector<ChunkBuffers> parts_;                         // for each lost chunk, one buffer per helper
  std::vector<std::vector<const std::uint8_t*>> pointers_;  // for each lost chunk and stripe, n pointers
};

struct Extras {
  /// If not 0, the object has memory for the new bytes of as many chunks and, with a parity delta, for its scratch buffer.
  int changed_chunks = 0;
  /// One buffer for each coding chunk, for one stripe of recompute().
  bool recomputes_coding = false;
};

class EncodedObject {
 public:
  struct Stripe {
    std::vector<const std::uint8_t*> data;  ///< in the order of the object's bytes
    std::vector<std::uint8_t*> coding;      ///< in the order of coding_positions()
    std::vector<std::uint8_t*> chunks;      ///< by position
    std::vector<std::uint8_t*> new_bytes;   ///< new_bytes[i] is for the i-th data chunk that an overwrite changes
  };

  /// Pads and splits `object`, encodes it, and checks the encoding: the code must write every byte of the coding chunks, whatever
  /// they contained. Each coding chunk (a part of them, if there are more than 256) is checked by a decode of lost chunks whose
  /// plan reads it, or is rebuilt if there is no such plan. With `stripe_unit`, each chunk has as many bytes in one stripe, as in
  /// an OSD, and chunk i is the concatenation of the chunks i of all stripes. The parts from which chunks in `lost` are repaired
  /// are gathered.
  ///
  /// Throws Error: wrong_bytes if a check fails; bad_input if the code would pad chunks of `stripe_unit` bytes. require_memory()
  /// must be called before.
  EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object, std::size_t stripe_unit = 0,
                std::vector<LostChunk> lost = {}, const Extras& extras = {});

  EncodedObject(const EncodedObject& other) : EncodedObject(other, nullptr) {}
  /// Chunks and parts are in `arena`, which must outlive the copy, unless it is null.
  EncodedObject(const EncodedObject& other, Arena* arena);
  EncodedObject& operator=(const EncodedObject&) = delete;

  const ErasureCode& code() const { return code_; }
  /// By position, with all stripes.
  const ChunkBuffers& chunks() const { return chunks_; }
  /// In one stripe.
  std::size_t chunk_size_bytes() const { return chunk_size_; }
  std::size_t stripe_count() const { return stripes_.size(); }
  std::span<const Stripe> stripes() const { return stripes_; }
  std::size_t object_size_bytes() const { return object_size_; }
  /// Chunks, helpers' parts and the buffers of Extras.
  std::size_t footprint_bytes() const;
  /// Absent if no lost chunk is repaired from parts of chunks.
  const std::optional<HelperParts>& helper_parts() const { return helper_parts_; }

  void encode() const {
    for (const Stripe& stripe : stripes_) code_.encode(stripe.data, stripe.coding, chunk_size_);
  }

  void decode(const DecodePlan& plan) const {
    for (const Stripe& stripe : stripes_) code_.decode(plan, stripe.chunks, chunk_size_);
  }

  /// Rebuilds helper_parts()->lost()[lost] from the gathered parts.
  void repair(std::size_t lost) const {
    const auto position = (*helper_parts_->lost())[lost].position;
    for (std::size_t stripe = 0; stripe < stripes_.size(); stripe++) {
      code_.repair()->repair(position, helper_parts_->of(lost, stripe), stripes_[stripe].chunks[static_cast<std::size_t>(position)],
                             chunk_size_);
    }
  }

  /// Updates the coding chunks as if consecutive data chunks from `first` on (after the last one, data chunk 0) got new bytes; the
  /// data chunks are not written. The coding chunks must be those of the data (overwritten_from() is absent). `scratch` is that of
  /// this object, or of one with the same layout.
  void overwrite(std::size_t first, std::span<std::uint8_t> scratch) const;
  /// After an overwrite: updates the coding chunks as if the data chunks got their old bytes again.
  void undo_overwrite(std::span<std::uint8_t> scratch) const;
  std::span<std::uint8_t> scratch() const;
  /// `first` of the overwrite that the coding chunks contain; absent if there is none.
  std::optional<std::size_t> overwritten_from() const { return overwritten_from_; }
  void reset_overwrite() const;
  /// Compares the coding chunks with those of a full encode by the constructor (with the new bytes after an overwrite that was not
  /// undone), and checks that data chunks and new bytes are unchanged. Throws Error (wrong_bytes).
  void check_overwrite() const;

  /// With the complement of the coding chunks of the last stripe.
  void poison_recomputed() const;
  /// Encodes a stripe into separate memory; true if the result equals the coding chunks. Needs Extras::recomputes_coding.
  bool recompute(std::size_t stripe) const;

  /// Makes every byte wrong. The errors of several chunks do not cancel each other in their XOR.
  void poison(const Positions& positions) const;
  void restore(const Positions& positions) const;

  /// For each plan: poisons its erased chunks and decodes them; compares all chunks except those that the plan does not rebuild,
  /// and restores these. To compare each chunk less often, a chunk that a plan does not rebuild is compared when the next plan
  /// erases it, or after the last plan. Throws Error (wrong_bytes).
  void check_decodes(std::span<const std::shared_ptr<const DecodePlan>> plans) const;

  /// Compares every chunk with its copy, and helper_parts() with the chunks. The Error (wrong_bytes) names the operation (`what`),
  /// the chunk's position and its first wrong byte.
  void check(const char* what) const;
  void check(int position, const char* what) const;

  /// Throws Error (wrong_bytes) if `bytes` is not stripe `stripe` of the chunk.
  void check_chunk(int position, std::size_t stripe, std::span<const std::uint8_t> bytes, const char* what) const;

 private:
  /// Each check decodes the object, so checking all of thousands would take too long. No pool of Ceph has as many.
  static constexpr std::size_t most_checked_one_by_one = 256;

  void point_stripes_at_chunks(std::size_t stripe_count);
  void place(std::span<const std::uint8_t> object);
  void gather(std::shared_ptr<const std::vector<LostChunk>> lost, Arena* arena);
  /// Computes the coding chunks and their copies. Throws Error (wrong_bytes) if a second call has other results.
  void encode_twice() const;
  void update(std::size_t first, bool undoes, std::span<std::uint8_t> scratch) const;
  /// Exchanges the changed data chunks, from data chunk `first` on, and the new bytes, also in the copies.
  void exchange_new_bytes(std::size_t first) const;
  /// For each overwrite: the digests of the coding chunks after it.
  std::vector<std::uint64_t> digests_of_overwrites() const;
  void check_chunks(const char* what) const;
  /// Buffers of chunks_ and truth_.
  Positions new_bytes_positions() const;
  void check_coding_chunks() const;
  void check_coding_chunk(int coding_position, bool rebuilds_all) const;
  /// Null if none is found. `rebuilds_all`: all lost chunks, otherwise at least one.
  std::shared_ptr<const DecodePlan> plan_through(int position, bool rebuilds_all) const;

  const ErasureCode& code_;
  std::size_t object_size_;
  std::size_t chunk_size_;
  Extras extras_;
  ChunkBuffers chunks_;
  std::shared_ptr<const ChunkBuffers> truth_;
  std::vector<Stripe> stripes_;
  std::vector<std::uint8_t*> recomputed_;  // one buffer for each coding chunk; recompute() writes them
  mutable std::optional<std::size_t> overwritten_from_;
  // Digests, because the chunks would need the memory of n-k more objects.
  std::shared_ptr<const std::vector<std::uint64_t>> overwrite_digests_;
  std::optional<HelperParts> helper_parts_;
};

/// `stripe_unit`, or what the code chooses for the whole object if it is 0. Throws Error if the code would pad `stripe_unit`, if
/// its chunks are too small for the object, or exceed most_memory_bytes. All sizes that follow fit in a size_t.
std::size_t stripe_chunk_size(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit);

std::size_t stripe_count(const ErasureCode& code, std::size_t object_size, std::size_t chunk_size);

/// In percent of the object's size.
double padding_percent(std::size_t object_size, int data_chunk_count, std::size_t chunk_size);

/// Bytes of one copy.
std::size_t footprint_bytes(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit,
                            std::span<const LostChunk> lost, const Extras& extras = {});

}  // namespace ecbench
