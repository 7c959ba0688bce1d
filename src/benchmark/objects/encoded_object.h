// An encoded object and a verified copy. Every workload compares the computed bytes with the copy. Before the timing, the copy
// itself is verified: each coding chunk is used to decode a lost chunk, and the decoded bytes must be correct. In some cases,
// this check is not possible; the comment above the constructor of EncodedObject describes these cases.

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

/// The memory that a workload needs in addition to the chunks.
struct Extras {
  /// The number of data chunks that an overwrite changes. If it is not 0, the object has memory for the new bytes of these chunks
  /// and for the scratch buffer of the parity delta.
  int changed_chunks = 0;
  /// If true, the object also has one buffer for each coding chunk. recompute() writes one stripe into these buffers.
  bool recomputes_coding = false;
};

class EncodedObject {
 public:
  /// Pointers to the chunks of one stripe.
  struct Stripe {
    std::vector<const std::uint8_t*> data;  ///< in the order of the object's bytes
    std::vector<std::uint8_t*> coding;      ///< in the order of coding_positions()
    std::vector<std::uint8_t*> chunks;      ///< by position
    std::vector<std::uint8_t*> new_bytes;   ///< new_bytes[i] is for the i-th data chunk that an overwrite changes
  };

  /// Pads and splits `object`, encodes it, and checks the encoding. The code must write every byte of the coding chunks, and the
  /// previous bytes of the coding chunks must not change the result. To check a coding chunk, some chunks are treated as lost and
  /// decoded with a plan that reads this coding chunk. If there is no such plan, the coding chunk itself is rebuilt instead. If
  /// there are more than 256 coding chunks, only some of them are checked in this way. Each of these decodes also rebuilds all
  /// other lost chunks.
  ///
  /// If `stripe_unit` is not 0, the object is encoded stripe by stripe, as in an OSD. Each chunk has `stripe_unit` bytes in one
  /// stripe. Chunk i of the object is the concatenation of the chunks i of all stripes. If chunks in `lost` are repaired from parts
  /// of chunks, these parts are gathered for repair().
  ///
  /// Throws Error of kind wrong_bytes if a check fails. Throws Error of kind bad_input if the code would pad chunks of
  /// `stripe_unit` bytes to another size. require_memory() must be called before this constructor.
  EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object, std::size_t stripe_unit = 0,
                std::vector<LostChunk> lost = {}, const Extras& extras = {});

  /// Makes a copy at another place in memory.
  EncodedObject(const EncodedObject& other) : EncodedObject(other, nullptr) {}
  /// Makes a copy with its chunks and parts in `arena`, which must outlive the copy. If `arena` is null, allocates memory.
  EncodedObject(const EncodedObject& other, Arena* arena);
  EncodedObject& operator=(const EncodedObject&) = delete;

  const ErasureCode& code() const { return code_; }
  /// The chunks by position. Each chunk contains its bytes of all stripes.
  const ChunkBuffers& chunks() const { return chunks_; }
  /// The size of a chunk in one stripe.
  std::size_t chunk_size_bytes() const { return chunk_size_; }
  std::size_t stripe_count() const { return stripes_.size(); }
  std::span<const Stripe> stripes() const { return stripes_; }
  std::size_t object_size_bytes() const { return object_size_; }
  /// The memory in bytes of the chunks, the helpers' parts and the buffers of Extras.
  std::size_t footprint_bytes() const;
  /// The parts that repair() reads; absent if no lost chunk is repaired from parts of chunks.
  const std::optional<HelperParts>& helper_parts() const { return helper_parts_; }

  /// Encodes the data chunks once.
  void encode() const {
    for (const Stripe& stripe : stripes_) code_.encode(stripe.data, stripe.coding, chunk_size_);
  }

  /// Runs `plan` once.
  void decode(const DecodePlan& plan) const {
    for (const Stripe& stripe : stripes_) code_.decode(plan, stripe.chunks, chunk_size_);
  }

  /// Rebuilds the chunk that entry `lost` of the list helper_parts()->lost() describes. The rebuild reads the gathered parts of
  /// other chunks. helper_parts() must be present.
  void repair(std::size_t lost) const {
    const auto position = (*helper_parts_->lost())[lost].position;
    for (std::size_t stripe = 0; stripe < stripes_.size(); stripe++) {
      code_.repair()->repair(position, helper_parts_->of(lost, stripe), stripes_[stripe].chunks[static_cast<std::size_t>(position)],
                             chunk_size_);
    }
  }

  /// Updates the coding chunks as if consecutive data chunks, beginning with data chunk `first`, got new bytes. After the last data
  /// chunk, data chunk 0 is next. The data chunks themselves are not written. The next call undoes this update: it updates the
  /// coding chunks as if the same data chunks got their old bytes again. That call ignores its argument `first`. `scratch` is the
  /// scratch() of this object, or of another object with the same layout.
  void overwrite(std::size_t first, std::span<std::uint8_t> scratch) const;
  /// The scratch memory for overwrite().
  std::span<std::uint8_t> scratch() const;
  /// Sets the coding chunks to their bytes before all overwrites, even if their current bytes are wrong.
  void reset_overwrite() const;
  /// Compares the coding chunks with the result of a full encode. If the last overwrite was not undone, the object with the new
  /// bytes is encoded; otherwise the object with the old bytes. Also checks that the data chunks and the new bytes are unchanged.
  /// Throws Error (wrong_bytes) if bytes differ.
  void check_overwrite() const;

  /// Encodes stripe number `stripe` into separate memory, which is the same for all stripes, and compares the result with the
  /// coding chunks. Returns true if they are equal. The object must have been made with Extras::recomputes_coding.
  bool recompute(std::size_t stripe) const;

  /// Fills the chunks at `positions` with the complement of their correct bytes, so that no byte is correct by chance.
  void poison(const Positions& positions) const;
  /// Restores the correct bytes of the chunks at `positions`.
  void restore(const Positions& positions) const;

  /// Poisons the erased chunks of `plan` and decodes them. Then compares all chunks with their copies, except the erased chunks
  /// that the plan does not rebuild. Restores the chunks that were not rebuilt. Throws Error (wrong_bytes) if a compared
  /// chunk differs.
  void check_decode(const DecodePlan& plan) const;

  /// Compares every chunk with its copy. If there are helper_parts(), also compares these parts with the chunks that they were
  /// copied from. Throws Error (wrong_bytes) if bytes differ. If a chunk is wrong, the message names the operation (`what`), the
  /// position of the chunk, and its first wrong byte.
  void check(const char* what) const;
  /// Compares only the chunk at `position` with its copy. Throws the same Error if they differ.
  void check(int position, const char* what) const;

  /// Compares `bytes` with the correct content of stripe `stripe` of the chunk at `position`. Throws Error (wrong_bytes) if they
  /// differ.
  void check_chunk(int position, std::size_t stripe, std::span<const std::uint8_t> bytes, const char* what) const;

 private:
  void point_stripes_at_chunks(std::size_t stripe_count);
  void place(std::span<const std::uint8_t> object);
  void gather(std::shared_ptr<const std::vector<LostChunk>> lost, Arena* arena);
  void check_except(const Positions& left_out, const char* what) const;
  /// The numbers of the buffers in chunks_ and truth_ that contain the new bytes for overwrites.
  Positions new_bytes_positions() const;
  void check_coding_chunks() const;
  void check_coding_chunk(int coding_position, bool rebuilds_all) const;
  /// A plan that reads the chunk at `position`; null if none is found. If `rebuilds_all` is true, the plan rebuilds all lost
  /// chunks; otherwise at least one of them.
  std::shared_ptr<const DecodePlan> plan_through(int position, bool rebuilds_all) const;

  const ErasureCode& code_;
  std::size_t object_size_;
  std::size_t chunk_size_;
  Extras extras_;
  ChunkBuffers chunks_;
  std::shared_ptr<const ChunkBuffers> truth_;
  std::vector<Stripe> stripes_;
  std::vector<std::uint8_t*> recomputed_;                // one buffer for each coding chunk; recompute() writes them
  mutable std::optional<std::size_t> overwritten_from_;  // the first data chunk of the last overwrite; absent if it was undone
  std::optional<HelperParts> helper_parts_;
};

/// The chunk size in one stripe. This is `stripe_unit` if `stripe_unit` is not 0. Otherwise the whole object is one stripe, and the
/// code chooses the chunk size. Throws Error if the code would pad chunks of `stripe_unit` bytes, if the code's chunks are too
/// small for the object, or if all chunks of the object together exceed most_memory_bytes. All sizes that are computed from the
/// result fit in a size_t.
std::size_t stripe_chunk_size(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit);

/// The number of stripes of an object of `object_size` bytes, if each chunk has `chunk_size` bytes in one stripe.
std::size_t stripe_count(const ErasureCode& code, std::size_t object_size, std::size_t chunk_size);

/// The padding in percent of the object's size.
double padding_percent(std::size_t object_size, int data_chunk_count, std::size_t chunk_size);

/// The memory in bytes that one copy of an EncodedObject of `object_size` bytes takes.
std::size_t footprint_bytes(const ErasureCode& code, std::size_t object_size, std::size_t stripe_unit,
                            std::span<const LostChunk> lost, const Extras& extras = {});

}  // namespace ecbench
