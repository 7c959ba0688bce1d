// What an OSD receives that rebuilds a chunk from parts of the others: of each helper the runs of sub-chunks that the code asks
// for, one behind the other. They are gathered before the clock starts, so that only the repair of these bytes is timed.

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

/// How an object is stored in its chunks: stripe s of a chunk is chunk_size bytes from s * chunk_size on.
struct StripeLayout {
  int chunk_count = 0;
  int sub_chunk_count = 1;
  std::size_t chunk_size = 0;  ///< of one stripe
  std::size_t stripe_count = 1;
};

class HelperParts {
 public:
  /// Gathers what each of `lost`, which read parts of chunks, reads, from `chunks`, which are whole, into
  /// `arena` if there is one.
  HelperParts(std::shared_ptr<const std::vector<LostChunk>> lost, const StripeLayout& layout, const ChunkBuffers& chunks,
              Arena* arena);

  /// What that takes in memory, of those of `lost` that read parts of chunks.
  static std::size_t memory_bytes(std::span<const LostChunk> lost, const StripeLayout& layout);
  std::size_t memory_bytes() const { return memory_bytes(*lost_, layout_); }

  const std::shared_ptr<const std::vector<LostChunk>>& lost() const { return lost_; }
  /// For each of the n chunks what its helper sends of stripe `stripe` for lost chunk number `lost`; null where it is not asked.
  std::span<const std::uint8_t* const> of(std::size_t lost, std::size_t stripe) const {
    const auto n = static_cast<std::size_t>(layout_.chunk_count);
    return std::span(pointers_[lost]).subspan(stripe * n, n);
  }
  /// Throws Error (wrong_bytes) if they are no longer what `chunks` hold.
  void check(const ChunkBuffers& chunks) const;

 private:
  std::shared_ptr<const std::vector<LostChunk>> lost_;
  StripeLayout layout_;
  std::vector<ChunkBuffers> parts_;                         // for each lost chunk, those of each helper
  std::vector<std::vector<const std::uint8_t*>> pointers_;  // for each lost chunk, stripe by stripe, n each
};

}  // namespace ecbench
