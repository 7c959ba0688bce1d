#include "benchmark/buffers/chunk_buffers.h"

#include <cstring>
#include <new>

#include "benchmark/buffers/arena.h"
#include "benchmark/buffers/memory.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

// Small chunks share pages; otherwise most memory of a pool of small objects would be unused.
std::size_t stride_of(std::size_t chunk_size_bytes) {
  return round_up(chunk_size_bytes, chunk_size_bytes < page_bytes ? chunk_alignment_bytes : page_bytes);
}

}  // namespace

void ChunkBuffers::Free::operator()(std::uint8_t* memory) const {
  ::operator delete[](memory, std::align_val_t{page_bytes});
}

std::size_t ChunkBuffers::memory_bytes(int count, std::size_t chunk_size_bytes) {
  return round_up(stride_of(chunk_size_bytes) * static_cast<std::size_t>(count), page_bytes);
}

std::uint8_t* ChunkBuffers::zeroed_memory(int count, std::size_t chunk_size_bytes) {
  const std::size_t total = memory_bytes(count, chunk_size_bytes);
  try {
    auto* memory = new (std::align_val_t{page_bytes}) std::uint8_t[total];
    populate(memory, total);
    std::memset(memory, 0, total);
    return memory;
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory for " + std::to_string(count) + " chunks of " + std::to_string(chunk_size_bytes) +
                " bytes: give a smaller --size or --pool");
  }
}

ChunkBuffers::ChunkBuffers(int count, std::size_t chunk_size_bytes) : ChunkBuffers(count, chunk_size_bytes, nullptr) {}

ChunkBuffers::ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena, int extra)
    : count_(count), chunk_size_bytes_(chunk_size_bytes) {
  const int buffers = count + extra;
  if (arena == nullptr) memory_.reset(zeroed_memory(buffers, chunk_size_bytes));
  std::uint8_t* first = arena == nullptr ? memory_.get() : arena->take(memory_bytes(buffers, chunk_size_bytes));
  for (int i = 0; i < buffers; i++) chunks_.push_back(first + stride_of(chunk_size_bytes) * static_cast<std::size_t>(i));
}

}  // namespace ecbench
