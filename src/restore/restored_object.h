// All chunks of an object. Rebuilds lost data chunks; checks coding chunks by encoding again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/erasure_code.h"
#include "restore/chunk_files.h"
#include "restore/restore.h"

namespace ecbench {

class RestoredObject {
 public:
  /// The caller writes the chunks in `available` to chunks(); the others are lost.
  RestoredObject(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count, Positions available);

  /// Includes the memory of suspects().
  static double memory_bytes(const ErasureCode& code, std::size_t stripe_chunk_size, std::size_t stripe_count);

  /// By position.
  const ChunkBuffers& chunks() const { return chunks_; }

  /// The same bytes in other stripes; call rebuild() afterwards.
  void cut_again(std::size_t stripe_chunk_size, std::size_t stripe_count);

  void lose(const Positions& positions);

  /// Throws Error (unrecoverable).
  void check_recoverable() const;

  /// Throws the Error of check_recoverable().
  void rebuild() { rebuild_without(lost_); }

  /// Available chunks that are decoded from, but cannot be rebuilt from the others; damage of the only other one is found by
  /// disagreeing(). Throws the Error of check_recoverable().
  Positions unchecked() const;

  /// After rebuild(): the available coding chunks that differ from the encoding of the data chunks.
  Positions disagreeing();

  /// Each chunk that can be the damaged one: without it, the others agree, and `is_right`; if that is not given, also if the others
  /// are too few. Overwrites rebuilt data chunks: call rebuild() afterwards.
  Positions suspects(const std::function<bool()>& is_right = nullptr);

  /// Pieces of the chunks, in order: the first `size_bytes` bytes of the object, and what follows in the data chunks.
  std::vector<std::span<const std::uint8_t>> object(std::size_t size_bytes) const;
  std::vector<std::span<const std::uint8_t>> padding(std::size_t size_bytes) const;

 private:
  void rebuild_without(const Positions& lost);
  Positions disagreeing_among(const Positions& available);
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

using Say = std::function<void(const std::string&)>;

struct Cut {
  std::size_t object_size = 0;
  std::size_t stripe_chunk_size = 0;
  std::size_t stripe_count = 0;
};

/// As lost, with a message. Throws Error (wrong_bytes) if the others are too few.
void lose_damaged(RestoredObject& object, const ChunkFiles& files, const Origin& origin, const Say& say);

/// Without a digest, compares the chunks with each other and checks the padding. Throws Error; may change the object before.
void verify(RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say);

void report_verified(const RestoredObject& object, const Cut& cut, const Origin& origin, const ChunkFiles& files, const Say& say);

}  // namespace ecbench
