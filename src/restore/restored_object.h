// An object's chunks while the object is decoded from those that are available: all stripes of them. Lost data chunks are rebuilt,
// and the available coding chunks are compared with what the object encodes to.

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
  /// Room for the chunks of `code`, each `stripe_count` stripes of `stripe_chunk_size` bytes. `available` are those that the caller
  /// fills; the others are lost.
  RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count, Positions available);

  /// What that takes in memory, with what rebuild() and disagreeing() need.
  static double memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count);

  /// The chunks by position.
  const ChunkBuffers& chunks() const { return chunks_; }

  /// From now on these chunks are lost.
  void lose(const Positions& positions);

  /// Throws Error (unrecoverable) if the available chunks do not suffice.
  void check_recoverable() const;

  /// Rebuilds the data chunks that are lost. Throws Error (unrecoverable).
  void rebuild() { rebuild_without(lost_); }

  /// The available chunks that the object is made from and whose damage disagreeing() may miss. A chunk that can be rebuilt from
  /// the other available ones is checked: if it is the only damaged one, all available chunks together are not chunks of any
  /// object. Throws Error (unrecoverable).
  Positions unchecked() const;

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
