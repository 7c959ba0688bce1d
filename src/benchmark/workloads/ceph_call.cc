#include "benchmark/workloads/ceph_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

namespace ecbench {
namespace {

struct FreeIfOwned {
  bool owned = false;
  void operator()(std::uint8_t* memory) const {
    if (owned) std::free(memory);
  }
};

/// New memory from posix_memalign(), as in Ceph, or a chunk of the object.
using Chunk = std::unique_ptr<std::uint8_t[], FreeIfOwned>;

Chunk new_chunk(std::size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, chunk_alignment_bytes, size) != 0) throw std::bad_alloc();
  return {static_cast<std::uint8_t*>(memory), {.owned = true}};
}

/// For the result at this position. If `see` is not null, the chunk begins with wrong bytes: freed memory can still have the
/// correct results of an earlier call, which would hide that the code writes nothing.
Chunk result_chunk(const EncodedObject& object, int position, std::size_t stripe, const SeeChunk& see) {
  const std::size_t size = object.chunk_size_bytes();
  Chunk chunk = new_chunk(size);
  if (see) {
    const std::uint8_t* correct = object.chunks()[position] + stripe * size;
    std::transform(correct, correct + size, chunk.get(), [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  }
  return chunk;
}

Chunk existing_chunk(std::uint8_t* chunk) { return {chunk, {.owned = false}}; }

/// A padded copy if the chunk extends beyond the object's end.
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
    data.reserve(code.data_positions().size());
    std::vector<std::uint8_t*> coding;
    coding.reserve(code.coding_positions().size());
    for (std::size_t i = 0; i < code.data_positions().size(); i++) {
      const int position = code.data_positions()[i];
      data.push_back((chunks[position] = data_chunk(object, stripe, i, position)).get());
    }
    for (const int position : code.coding_positions()) {
      coding.push_back((chunks[position] = result_chunk(object, position, stripe, see)).get());
    }
    code.encode(data, coding, size);
    if (see) show(chunks, stripe, size, see);
  }
}

AvailableChunks available_chunks(const ErasureCode& code, const Positions& erased) {
  AvailableChunks left;
  for (int position = 0; position < code.chunk_count(); position++) {
    if (!std::ranges::binary_search(erased, position)) left.insert(left.end(), position);
  }
  return left;
}

void ceph_decode(const EncodedObject& object, const AvailableChunks* given, const Positions& erased, const Positions& wanted,
                 bool keeps_plans, const SeeChunk& see) {
  const ErasureCode& code = object.code();
  const std::size_t size = object.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
    // Ceph's plugins get a map of the remaining chunks and return one of all.
    const AvailableChunks made = given == nullptr ? available_chunks(code, erased) : AvailableChunks();
    const AvailableChunks& left = given == nullptr ? made : *given;
    std::map<int, Chunk> chunks;
    // Ceph's plugins have these pointers on the stack; a vector per thread allocates nothing either.
    thread_local std::vector<std::uint8_t*> pointers;
    pointers.clear();
    for (int position = 0; position < code.chunk_count(); position++) {
      Chunk& chunk = chunks[position];
      chunk = left.contains(position) ? existing_chunk(object.chunks()[position] + stripe * size)
                                      : result_chunk(object, position, stripe, see);
      pointers.push_back(chunk.get());
    }
    const auto plan = keeps_plans ? code.plan(erased, wanted) : code.plan_uncached(erased, wanted);
    code.decode(*plan, pointers, size);
    if (!see) continue;
    for (const int position : plan->erased) {
      if (std::ranges::find(plan->rebuilt, position) == plan->rebuilt.end()) chunks.erase(position);  // decode() did not write it
    }
    show(chunks, stripe, size, see);
  }
}

}  // namespace ecbench
