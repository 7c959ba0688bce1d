// An object's chunks while the object is decoded from those that are left: all stripes of them, with what was lost rebuilt and what
// is left over held against it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benchmark/chunk_buffers.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

class RestoredObject {
 public:
  /// Room for the chunks of `code`, each `stripe_count` stripes of `stripe_chunk_size` bytes. `available` are those that the caller
  /// fills; the others are lost.
  RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count, Positions available);

  /// What that takes in memory, with what rebuild() and disagreeing() need.
  static double memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count);

  /// The chunks by position.
  const ChunkBuffers& chunks() const { return chunks_; }

  /// Rebuilds the data chunks that are lost. Throws Error (unrecoverable).
  void rebuild() { rebuild_without(lost_); }

  /// The available coding chunks that the rebuilding read nothing of: all that can tell of a damaged chunk.
  Positions left_over() const;

  /// After rebuild(): the available coding chunks that are not what the data chunks encode to.
  Positions disagreeing();

  /// After disagreeing() found some: the chunk that must be damaged if just one is, as far as the others can tell. What rebuild()
  /// wrote is not to be used any more.
  std::optional<int> only_suspect();

  /// The object's first `size_bytes` bytes, in their order, as pieces of the chunks; and the bytes of the data chunks behind them.
  std::vector<std::span<const std::uint8_t>> object(std::size_t size_bytes) const;
  std::vector<std::span<const std::uint8_t>> padding(std::size_t size_bytes) const;

 private:
  void rebuild_without(const Positions& lost);
  Positions disagreeing_among(const Positions& available);
  bool may_be_damaged(int suspect);
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
