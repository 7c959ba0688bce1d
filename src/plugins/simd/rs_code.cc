#include "plugins/simd/rs_code.h"

#include <algorithm>
#include <array>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/index.h"
#include "plugins/simd/recovery.h"

namespace ecbench::simd {

struct RsCode::Plan : DecodePlan {
  explicit Plan(Multiplication rows) : multiplication(std::move(rows)) {}
  std::vector<int> participants;  // positions: k sources, then the chunks to rebuild
  Multiplication multiplication;
};

RsCode::RsCode(Design design)
    : ErasureCode(design.shape), design_(std::move(design)), encoding_(*design_.kernel, design_.coding_rows) {}

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
  const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
  const std::optional<Matrix> rows = rows_over_survivors(design_.coding_rows, design_.is_cauchy, pattern);
  if (!rows) refuse_unrecoverable(erased, "what is left of this code's matrix has no inverse");
  auto plan = std::make_unique<Plan>(Multiplication(*design_.kernel, *rows));
  plan->participants = participants(*this, pattern);
  plan->reads = pattern.reads;
  return plan;
}

void RsCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  const std::size_t k = index(data_chunk_count());
  ChunkPointers<const std::uint8_t> sources;
  ChunkPointers<std::uint8_t> targets;
  for (std::size_t i = 0; i < k; i++) sources[i] = chunks[index(own.participants[i])];
  for (std::size_t i = k; i < own.participants.size(); i++) targets[i - k] = chunks[index(own.participants[i])];
  const std::size_t target_count = own.participants.size() - k;
  own.multiplication.run(std::span(sources).first(k), std::span(targets).first(target_count), chunk_size,
                         store_for(design_.store, k, target_count, chunk_size));
}

}  // namespace ecbench::simd
