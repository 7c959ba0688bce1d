// The bytes that an OSD receives when it rebuilds a chunk from parts of other chunks. Each helper sends only the sub-chunks that
// the code requests, one after the other. The bytes are collected before the timing starts, so that only the repair is timed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/erasures/repair_reads.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// The layout of an object in its chunks: stripe s of a chunk starts at byte s * chunk_size of the chunk and has chunk_size bytes.
struct StripeLayout {
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size = 0;  ///< chunk size in one stripe
  std::size_t stripe_count = 1;
};

class HelperParts {
 public:
  /// Copies the parts of chunks that the repair of each chunk in `lost` reads. `chunks` contains all chunks, also the lost chunks.
  /// The copies are in `arena` if it is not null. Each repair must read parts of chunks.
  HelperParts(std::shared_ptr<const std::vector<LostChunk>> lost, const StripeLayout& layout, const ChunkBuffers& chunks,
              Arena* arena);

  /// The memory in bytes for the chunks in `lost` whose repair reads parts of chunks.
  static std::size_t memory_bytes(std::span<const LostChunk> lost, const StripeLayout& layout);
  std::size_t memory_bytes() const { return memory_bytes(*lost_, layout_); }

  const std::shared_ptr<const std::vector<LostChunk>>& lost() const { return lost_; }
  /// Returns n pointers, one for each chunk: the bytes of stripe `stripe` that the chunk contributes to the repair of chunk number
  /// `lost` in lost(). The pointer is null for a chunk that is not read.
  std::span<const std::uint8_t* const> of(std::size_t lost, std::size_t stripe) const {
    const auto n = static_cast<std::size_t>(layout_.chunk_count);
    return std::span(pointers_[lost]).subspan(stripe * n, n);
  }
  /// Throws Error (wrong_bytes) if the parts differ from `chunks`.
  void check(const ChunkBuffers& chunks) const;

 private:
  std::shared_ptr<const std::vector<LostChunk>> lost_;
  StripeLayout layout_;
  std::vector<ChunkBuffers> parts_;                         // for each lost chunk, one buffer per helper
  std::vector<std::vector<const std::uint8_t*>> pointers_;  // for each lost chunk and stripe, n pointers
};

}  // namespace ecbench
