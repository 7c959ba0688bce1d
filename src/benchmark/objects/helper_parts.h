// The bytes that an OSD receives to rebuild a chunk from parts of others: each helper's requested sub-chunks, one after the other.
// They are collected before the timing.

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

}  // namespace ecbench
