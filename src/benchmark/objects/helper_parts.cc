#include <algorithm>
#include <cstring>
#include <string>

#include "benchmark/objects/encoded_object.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

std::size_t part_bytes(const std::vector<SubChunkRun>& runs, const StripeLayout& layout) {
  std::size_t sub_chunks = 0;
  for (const SubChunkRun& run : runs) sub_chunks += static_cast<std::size_t>(run.count);
  return sub_chunks * (layout.chunk_size / static_cast<std::size_t>(layout.sub_chunk_count));
}

/// Bytes between the parts of consecutive stripes in a helper's buffer; the same for all helpers of a lost chunk.
std::size_t stride_of(const ReadSet& reads, const StripeLayout& layout) {
  std::size_t largest = 0;
  for (const auto& [position, runs] : reads) largest = std::max(largest, part_bytes(runs, layout));
  return round_up(largest, chunk_alignment_bytes);
}

/// visit(run in the chunk, run in the part, bytes of the run)
void for_each_run(const std::vector<SubChunkRun>& runs, const StripeLayout& layout, const std::uint8_t* chunk, std::uint8_t* part,
                  const auto& visit) {
  const std::size_t sub_chunk = layout.chunk_size / static_cast<std::size_t>(layout.sub_chunk_count);
  for (const SubChunkRun& run : runs) {
    const std::size_t size = static_cast<std::size_t>(run.count) * sub_chunk;
    visit(chunk + static_cast<std::size_t>(run.first) * sub_chunk, part, size);
    part += size;
  }
}

void for_each_run(const ReadSet& reads, const StripeLayout& layout, const ChunkBuffers& chunks, const ChunkBuffers& parts,
                  const auto& visit) {
  const std::size_t stride = stride_of(reads, layout);
  int helper = 0;
  for (const auto& [position, runs] : reads) {
    for (std::size_t stripe = 0; stripe < layout.stripe_count; stripe++) {
      for_each_run(runs, layout, chunks[position] + stripe * layout.chunk_size, parts[helper] + stripe * stride, visit);
    }
    helper++;
  }
}

}  // namespace

HelperParts::HelperParts(std::shared_ptr<const std::vector<LostChunk>> lost, const StripeLayout& layout, const ChunkBuffers& chunks,
                         Arena* arena)
    : lost_(std::move(lost)), layout_(layout) {
  for (const LostChunk& chunk : *lost_) {
    const std::size_t stride = stride_of(chunk.reads, layout);
    ChunkBuffers& parts = parts_.emplace_back(static_cast<int>(chunk.reads.size()), stride * layout.stripe_count, arena);
    for_each_run(chunk.reads, layout, chunks, parts,
                 [](const std::uint8_t* from, std::uint8_t* to, std::size_t size) { std::memcpy(to, from, size); });
    const auto n = static_cast<std::size_t>(layout.chunk_count);
    std::vector<const std::uint8_t*>& pointers = pointers_.emplace_back(n * layout.stripe_count);
    int helper = 0;
    for (const auto& [position, runs] : chunk.reads) {
      for (std::size_t stripe = 0; stripe < layout.stripe_count; stripe++) {
        pointers[stripe * n + static_cast<std::size_t>(position)] = parts[helper] + stripe * stride;
      }
      helper++;
    }
  }
}

std::size_t HelperParts::memory_bytes(std::span<const LostChunk> lost, const StripeLayout& layout) {
  std::size_t bytes = 0;
  for (const LostChunk& chunk : lost) {
    if (!reads_parts(chunk.reads, layout.sub_chunk_count)) continue;
    const std::size_t part = stride_of(chunk.reads, layout) * layout.stripe_count;
    bytes += ChunkBuffers::memory_bytes(static_cast<int>(chunk.reads.size()), part);
  }
  return bytes;
}

void HelperParts::check(const ChunkBuffers& chunks) const {
  for (std::size_t i = 0; i < lost_->size(); i++) {
    const LostChunk& chunk = (*lost_)[i];
    for_each_run(chunk.reads, layout_, chunks, parts_[i],
                 [&](const std::uint8_t* expected, const std::uint8_t* part, std::size_t size) {
                   if (std::memcmp(expected, part, size) == 0) return;
                   throw Error("wrong bytes after repairing chunk " + std::to_string(chunk.position) +
                                   ": the code changed bytes that the helpers sent, but it may only read these bytes",
                               Error::Kind::wrong_bytes);
                 });
  }
}

}  // namespace ecbench
