#include "plugins/clay/layers.h"

#include <algorithm>
#include <memory>
#include <new>

#include "erasure_code/index.h"
#include "plugins/clay/pass.h"

namespace ecbench::clay {
namespace {

/// Bytes of one node at a time, if the `unit` of the constructor is 0 (as the next two limits). Shorter portions would cost more
/// kernel calls than smaller caches save.
constexpr std::size_t longest_portion = 4 << 10;
/// Bytes of all nodes together.
constexpr std::size_t portions_limit = 256 << 10;
/// Most bytes of the U of unread nodes, which are kept for later planes; exceeded only if even the shortest portions are too long.
constexpr std::size_t kept_limit = 512 << 10;

/// At least `size` bytes of the thread, freed when it ends.
std::uint8_t* thread_memory(std::size_t size) {
  struct Free {
    void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t{chunk_alignment_bytes}); }
  };
  thread_local std::unique_ptr<std::uint8_t[], Free> memory;
  thread_local std::size_t capacity = 0;
  if (size > capacity) {
    memory.reset();
    capacity = 0;
    memory.reset(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[size]);
    capacity = size;
  }
  return memory.get();
}

std::size_t memory_size(const Geometry& geometry, const Recovery& recovery, const Portion& portion) {
  return index(geometry.node_count()) * portion.node_stride +
         index(recovery.unread_count) * index(recovery.plane_count) * portion.size;
}

std::size_t round_down(std::size_t size) {
  return std::max(size / chunk_alignment_bytes, std::size_t{1}) * chunk_alignment_bytes;
}

}  // namespace

Layers::Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit)
    : geometry_(geometry), coupling_(coupling), unit_(unit), zeros_(std::max(unit, longest_portion) + chunk_alignment_bytes, 0) {}

Portion Layers::portion(const Recovery& recovery, std::size_t sub_chunk_size) const {
  if (unit_ > 0) return {1, unit_, unit_};
  const std::size_t longest = std::min(longest_portion, round_down(portions_limit / index(geometry_.node_count())));
  const std::size_t kept = index(recovery.unread_count) * index(recovery.plane_count);
  const std::size_t segment = kept == 0 ? longest : std::min(longest, round_down(kept_limit / kept));
  if (sub_chunk_size > segment) return {1, segment, segment};
  int planes = 1;
  while (geometry_.q() > 1 && index(planes * geometry_.q()) * sub_chunk_size <= longest && planes < recovery.plane_count) {
    planes *= geometry_.q();
  }
  return {planes, sub_chunk_size, round_up(index(planes) * sub_chunk_size, chunk_alignment_bytes)};
}

void Layers::prepare_thread(const Recovery& recovery) const {
  std::size_t most = 0;
  for (std::size_t size = chunk_alignment_bytes; size <= 2 * longest_portion; size += chunk_alignment_bytes) {
    most = std::max(most, memory_size(geometry_, recovery, portion(recovery, size)));
  }
  thread_memory(most);
}

void Layers::run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const {
  const Portion at_a_time = portion(recovery, sub_chunk_size);
  const auto address = reinterpret_cast<std::uintptr_t>(zeros_.data());
  const std::uint8_t* zeros = zeros_.data() + (chunk_alignment_bytes - address % chunk_alignment_bytes) % chunk_alignment_bytes;
  Pass pass(geometry_, coupling_, recovery, at_a_time, nodes, sub_chunk_size,
            thread_memory(memory_size(geometry_, recovery, at_a_time)), zeros);
  for (std::size_t offset = 0; offset < sub_chunk_size; offset += at_a_time.size) {
    pass.run(offset, std::min(at_a_time.size, sub_chunk_size - offset));
  }
}

}  // namespace ecbench::clay
