// The chunks of an object, in all stripes, while the object is decoded from the available chunks. Lost data chunks are rebuilt. The
// available coding chunks are compared with the encoding of the data chunks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

class RestoredObject {
 public:
  /// Allocates the chunks of `code`, each with `stripe_count` stripes of `stripe_chunk_size` bytes. The caller fills the chunks in
  /// `available`; the other chunks are lost.
  RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count, Positions available);

  /// The memory in bytes that a RestoredObject takes, including the memory of disagreeing() and only_suspect().
  static double memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count);

  /// The chunks by position.
  const ChunkBuffers& chunks() const { return chunks_; }

  /// Treats these chunks as lost.
  void lose(const Positions& positions);

  /// Throws Error (unrecoverable) if the available chunks are not enough.
  void check_recoverable() const;

  /// Rebuilds the data chunks that are lost. Throws Error (unrecoverable).
  void rebuild() { rebuild_without(lost_); }

  /// Returns the available chunks that are used to decode the object but cannot be checked. A chunk can be checked if it can be
  /// rebuilt from the other available chunks. If a chunk that can be checked is the only damaged chunk, it contradicts the other
  /// chunks, and disagreeing() detects this. Throws Error (unrecoverable).
  Positions unchecked() const;

  /// Must be called after rebuild(). Returns the available coding chunks that differ from the encoding of the data chunks.
  Positions disagreeing();

  /// May be called if disagreeing() has found chunks. Assumes that exactly one chunk is damaged, and returns this chunk. Returns
  /// nothing if no chunk or more than one chunk may be the damaged chunk. Overwrites rebuilt data chunks: the object must not be
  /// used afterwards.
  std::optional<int> only_suspect();

  /// object() returns the first `size_bytes` bytes of the object as pieces of the chunks, in the object's order. padding() returns
  /// the rest of the data chunks in the same way.
  std::vector<std::span<const std::uint8_t>> object(std::size_t size_bytes) const;
  std::vector<std::span<const std::uint8_t>> padding(std::size_t size_bytes) const;

 private:
  void rebuild_without(const Positions& lost);
  Positions disagreeing_among(const Positions& available);
  bool may_be_damaged(int suspect);
  bool can_be_rebuilt(int position) const;
  std::vector<std::uint8_t*> stripe_of(std::size_t stripe) const;
  std::vector<std::span<const std::uint8_t>> pieces(std::size_t begin, std::size_t end) const;

  const ErasureCode& code_;
  std::size_t stripe_chunk_size_;
  std::size_t stripe_count_;
  Positions available_;
  Positions lost_;
  ChunkBuffers chunks_;
  ChunkBuffers encoded_;  ///< the coding chunks of one stripe
};

}  // namespace ecbench
