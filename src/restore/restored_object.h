// RestoredObject contains all chunks of an object. It rebuilds the lost data chunks from the available chunks. To check the
// available coding chunks, it encodes the data chunks again and compares the result.

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
  /// Allocates all chunks of the object. Each chunk has `stripe_chunk_size` bytes in each of the `stripe_count` stripes. The caller
  /// must write the bytes of the chunks in `available` to chunks(). The other chunks are lost.
  RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count, Positions available);

  /// The number of bytes that a RestoredObject allocates, including the memory that only_suspect() allocates.
  static double memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count);

  /// All chunks. The index is the position.
  const ChunkBuffers& chunks() const { return chunks_; }

  /// Treats the chunks at `positions` as lost.
  void lose(const Positions& positions);

  /// Throws Error (unrecoverable) if the lost data chunks cannot be rebuilt from the available chunks.
  void check_recoverable() const;

  /// Rebuilds the lost data chunks. Throws the same Error as check_recoverable().
  void rebuild() { rebuild_without(lost_); }

  /// Returns the available chunks that are used to decode the object but cannot be checked. A chunk can be checked if it can be
  /// rebuilt from the other available chunks. If a chunk that can be checked is the only damaged chunk, it contradicts the other
  /// chunks, and disagreeing() detects this. Throws the same Error as check_recoverable().
  Positions unchecked() const;

  /// Must be called after rebuild(). Returns the available coding chunks that differ from the encoding of the data chunks.
  Positions disagreeing();

  /// May be called if disagreeing() has found chunks. Assumes that exactly one chunk is damaged, and returns this chunk. Returns
  /// nothing if no chunk can be the damaged one, or if several chunks can. Overwrites rebuilt data chunks: do not use the object
  /// afterwards.
  std::optional<int> only_suspect();

  /// object() returns the first `size_bytes` bytes of the object. padding() returns all bytes of the data chunks after them. Both
  /// return pieces of the chunks, in the order of the object's bytes.
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
  ChunkBuffers encoded_;  ///< the coding chunks of one stripe, as disagreeing() encodes them
};

}  // namespace ecbench
