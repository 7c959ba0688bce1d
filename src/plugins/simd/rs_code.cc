#include "plugins/simd/rs_code.h"

#include <algorithm>
#include <array>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/index.h"

namespace ecbench::simd {

/// The tables follow this object in memory, so that they do not need a separate allocation.
struct RsCode::Plan final : DecodePlan {
  Plan(const Kernel& kernel, const Losses& losses, int k, const RecoveryRows& rows)
      : multiplication(kernel, losses.rebuilt.count, k, rows.elements.data(), rows.form, losses.lost_data.all(), tables()) {}

  struct TableBytes {
    std::size_t count;
  };
  static void* operator new(std::size_t size, TableBytes tables) { return ::operator new(size + cache_line + tables.count); }
  static void operator delete(void* plan, TableBytes) { ::operator delete(plan); }
  static void operator delete(void* plan) { ::operator delete(plan); }

  std::array<std::uint8_t, most_chunks> participants;  // positions: k sources, then the chunks to rebuild
  int target_count = 0;
  Multiplication multiplication;

 private:
  std::uint8_t* tables() {
    const auto end = reinterpret_cast<std::uintptr_t>(this + 1);
    return reinterpret_cast<std::uint8_t*>((end + cache_line - 1) / cache_line * cache_line);
  }
};

RsCode::RsCode(Design design)
    : ErasureCode(design.shape), design_(std::move(design)), encoding_(*design_.kernel, design_.coding_rows) {
  const int k = data_chunk_count();
  for (const Element element : design_.coding_rows.elements) elements_.push_back(static_cast<std::uint8_t>(element));
  coding_ = {.elements = elements_,
             .k = k,
             .is_cauchy = design_.is_cauchy,
             .has_ones = std::all_of(elements_.begin(), elements_.begin() + k, [](std::uint8_t element) { return element == 1; }),
             .has_powers = coding_chunk_count() > 1 && form_of(elements_.data(), 2, k) == Form::powers};
}

std::size_t RsCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), design_.chunk_multiple);
}

void RsCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                    std::size_t chunk_size) const {
  encoding_.run(data, coding, chunk_size, store_for(design_.store, data.size(), coding.size(), chunk_size));
}

void RsCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                    std::span<std::uint8_t>) const {
  std::array<Change, chunk_count_limit> changes;
  std::ranges::transform(changed, changes.begin(), [](const ChangedChunk& chunk) {
    return Change{index(chunk.chunk), chunk.old_bytes, chunk.new_bytes};
  });
  encoding_.update(std::span(changes).first(changed.size()), coding, size);
}

std::unique_ptr<DecodePlan> RsCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  const Losses lost = losses(*this, erased, rebuilt);
  RecoveryRows rows;
  if (!find_rows(coding_, lost, rows)) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
  const Kernel& kernel = *design_.kernel;
  const int k = data_chunk_count();
  const Plan::TableBytes table_bytes{Multiplication::table_bytes(kernel, lost.rebuilt.count, k)};
  std::unique_ptr<Plan> plan(new (table_bytes) Plan(kernel, lost, k, rows));
  std::uint8_t* participant = plan->participants.data();
  for (const ChunkList* chunks : {&lost.survivors, &lost.rebuilt}) {
    for (const int chunk : chunks->all()) *participant++ = static_cast<std::uint8_t>(position(ChunkNumber{chunk}));
  }
  plan->target_count = lost.rebuilt.count;
  plan->reads.assign(plan->participants.data(), plan->participants.data() + k);
  if (!is_in_order()) std::ranges::sort(plan->reads);
  return plan;
}

void RsCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  const std::size_t k = index(data_chunk_count());
  const std::size_t target_count = index(own.target_count);
  ChunkPointers<const std::uint8_t> sources;
  ChunkPointers<std::uint8_t> targets;
  for (std::size_t i = 0; i < k; i++) sources[i] = chunks[own.participants[i]];
  for (std::size_t i = 0; i < target_count; i++) targets[i] = chunks[own.participants[k + i]];
  own.multiplication.run(std::span(sources).first(k), std::span(targets).first(target_count), chunk_size,
                         store_for(design_.store, k, target_count, chunk_size));
}

}  // namespace ecbench::simd
