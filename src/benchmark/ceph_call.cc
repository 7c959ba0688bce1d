#include "benchmark/ceph_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

namespace ecbench {
namespace {

/// A buffer as Ceph allocates one for a chunk: by posix_memalign, shared by reference count.
using Chunk = std::shared_ptr<std::uint8_t>;

Chunk new_chunk(std::size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, chunk_alignment_bytes, size) != 0) throw std::bad_alloc();
  return {static_cast<std::uint8_t*>(memory), std::free};
}

/// A chunk that is there already and stays its owner's.
Chunk existing_chunk(std::uint8_t* chunk) {
  return {chunk, [](std::uint8_t*) {}};
}

/// The data chunk as it lies in the object, or a padded copy if it reaches past the object's end.
Chunk data_chunk(const EncodedObject& object, std::size_t stripe, std::size_t index, int position) {
  const std::size_t size = object.chunk_size_bytes();
  std::uint8_t* bytes = object.chunks()[position] + stripe * size;
  const auto k = static_cast<std::size_t>(object.code().data_chunk_count());
  const std::size_t begin = (stripe * k + index) * size;
  if (begin + size <= object.object_size_bytes()) return existing_chunk(bytes);
  const std::size_t filled = begin < object.object_size_bytes() ? object.object_size_bytes() - begin : 0;
  Chunk padded = new_chunk(size);
  std::memcpy(padded.get(), bytes, filled);
  std::memset(padded.get() + filled, 0, size - filled);
  return padded;
}

void show(const std::map<int, Chunk>& chunks, std::size_t stripe, std::size_t size, const SeeChunk& see) {
  for (const auto& [position, chunk] : chunks) see(position, stripe, {chunk.get(), size});
}

}  // namespace

void ceph_encode(const EncodedObject& object, const SeeChunk& see) {
  const ErasureCode& code = object.code();
  const std::size_t size = object.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
    std::map<int, Chunk> chunks;
    std::vector<const std::uint8_t*> data;
    std::vector<std::uint8_t*> coding;
    for (std::size_t i = 0; i < code.data_positions().size(); i++) {
      const int position = code.data_positions()[i];
      data.push_back((chunks[position] = data_chunk(object, stripe, i, position)).get());
    }
    for (const int position : code.coding_positions()) coding.push_back((chunks[position] = new_chunk(size)).get());
    code.encode(data, coding, size);
    if (see) show(chunks, stripe, size, see);
  }
}

void ceph_decode(const EncodedObject& object, const Positions& erased, const Positions& wanted, const SeeChunk& see) {
  const ErasureCode& code = object.code();
  const std::size_t size = object.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
    // Ceph hands over a map of what is left and gets back one of all chunks.
    std::map<int, Chunk> left;
    for (int position = 0; position < code.chunk_count(); position++) {
      if (std::ranges::binary_search(erased, position)) continue;
      left.emplace(position, existing_chunk(object.chunks()[position] + stripe * size));
    }
    std::map<int, Chunk> chunks;
    std::vector<std::uint8_t*> pointers;
    for (int position = 0; position < code.chunk_count(); position++) {
      const auto found = left.find(position);
      chunks[position] = found == left.end() ? new_chunk(size) : found->second;
      pointers.push_back(chunks[position].get());
    }
    const auto plan = code.keeps_plans_in_ceph() ? code.plan(erased, wanted) : code.plan_uncached(erased, wanted);
    code.decode(*plan, pointers, size);
    if (!see) continue;
    for (const int position : plan->erased) {
      if (std::ranges::find(plan->rebuilt, position) == plan->rebuilt.end()) chunks.erase(position);  // never written
    }
    show(chunks, stripe, size, see);
  }
}

}  // namespace ecbench
