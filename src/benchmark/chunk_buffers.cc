#include "benchmark/chunk_buffers.h"

#include <cstring>
#include <new>

#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::size_t page_bytes = 4096;

// Small chunks share pages, or a pool of small objects would be mostly gaps.
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

ChunkBuffers::ChunkBuffers(int count, std::size_t chunk_size_bytes) : chunk_size_bytes_(chunk_size_bytes) {
  const std::size_t stride = stride_of(chunk_size_bytes);
  const std::size_t total = memory_bytes(count, chunk_size_bytes);
  try {
    arena_.reset(new (std::align_val_t{page_bytes}) std::uint8_t[total]);
  } catch (const std::bad_alloc&) {
    throw Error("there is no memory for " + std::to_string(count) + " chunks of " + std::to_string(chunk_size_bytes) +
                " bytes: give a smaller --size");
  }
  std::memset(arena_.get(), 0, total);
  for (int i = 0; i < count; i++) chunks_.push_back(arena_.get() + stride * static_cast<std::size_t>(i));
}

}  // namespace ecbench
