#include "plugins/clay/clay_code.h"

#include <algorithm>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/clay/recovery.h"

namespace ecbench::clay {
namespace {

/// For each node; null for virtual ones.
using NodePointers = ChunkPointers<std::uint8_t>;

}  // namespace

struct ClayCode::Plan : DecodePlan {
  Recovery recovery;
};

ClayCode::ClayCode(ClayDesign design)
    : ErasureCode({.data_chunk_count = design.data_chunk_count,
                   .chunk_count = design.geometry.chunk_count(),
                   .sub_chunk_count = design.geometry.sub_chunk_count()}),
      helper_count_(design.helper_count),
      sub_chunk_unit_(design.sub_chunk_unit),
      keeps_plans_in_ceph_(design.keeps_plans_in_ceph),
      geometry_(std::move(design.geometry)),
      scalar_(std::move(design.scalar)),
      pair_(std::move(design.pair)),
      coupling_(pair_),
      layers_(geometry_, coupling_, scalar_.computes_itself() ? sub_chunk_unit_ : 0),
      encoding_(encoding()),
      repairs_(index(chunk_count())) {
  layers_.prepare_thread(encoding_);
}

std::size_t ClayCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), index(sub_chunk_count()) * sub_chunk_unit_);
}

void ClayCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                      std::size_t chunk_size) const {
  NodePointers pointers{};
  const ChunkPointers<std::uint8_t> chunks = chunk_pointers<std::uint8_t>(data, coding);
  for (int chunk = 0; chunk < chunk_count(); chunk++) pointers[index(geometry_.node(chunk))] = chunks[index(chunk)];
  layers_.run(encoding_, pointers, sub_chunk_size(chunk_size));
}

ReadSet ClayCode::minimum_to_decode(const Positions& wanted, const Positions& available) const {
  if (!is_loss_of_one(wanted, available)) return ErasureCode::minimum_to_decode(wanted, available);
  const int lost = wanted.front();
  const Recovery* recovery = repairing(lost);
  if (recovery == nullptr || recovery->repaired < 0) return ErasureCode::minimum_to_decode(wanted, available);
  ReadSet reads;
  for (const int helper : repair_helpers(geometry_, helper_count_, lost)) reads[helper] = repair_runs(geometry_, lost);
  return reads;
}

std::unique_ptr<DecodePlan> ClayCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  std::optional<Recovery> recovery = decoding(geometry_, scalar_, nodes(erased), nodes(rebuilt));
  if (!recovery) refuse_unrecoverable(erased, "the scalar code cannot rebuild the lost chunks from the available chunks");
  auto plan = std::make_unique<Plan>();
  for (int chunk = 0; chunk < chunk_count(); chunk++) {
    if (recovery->roles[index(geometry_.node(chunk))] == Role::known) plan->reads.push_back(chunk);
  }
  plan->recovery = std::move(*recovery);
  layers_.prepare_thread(plan->recovery);
  return plan;
}

void ClayCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  NodePointers pointers{};
  for (int chunk = 0; chunk < chunk_count(); chunk++) pointers[index(geometry_.node(chunk))] = chunks[index(chunk)];
  layers_.run(static_cast<const Plan&>(plan).recovery, pointers, sub_chunk_size(chunk_size));
}

void ClayCode::repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt, std::size_t chunk_size) const {
  if (lost < 0 || lost >= chunk_count()) throw Error("chunk " + std::to_string(lost) + " does not exist and cannot be repaired");
  const Recovery* recovery = repairing(lost);
  if (recovery == nullptr) refuse_unrecoverable({lost}, "the scalar code cannot rebuild the lost chunk from the other chunks");
  NodePointers pointers{};
  for (int chunk = 0; chunk < chunk_count(); chunk++) {
    const int node = geometry_.node(chunk);
    if (chunk == lost || recovery->roles[index(node)] == Role::unread) continue;
    if (helpers[index(chunk)] == nullptr) {
      throw Error("chunk " + std::to_string(lost) + " cannot be repaired without helper chunk " + std::to_string(chunk));
    }
    pointers[index(node)] = const_cast<std::uint8_t*>(helpers[index(chunk)]);
  }
  pointers[index(geometry_.node(lost))] = rebuilt;
  layers_.run(*recovery, pointers, sub_chunk_size(chunk_size));
}

/// One chunk is wanted, all others are available, and the code has repair() (not with q = 1, which reads whole chunks).
bool ClayCode::is_loss_of_one(const Positions& wanted, const Positions& available) const {
  if (repair() == nullptr || wanted.size() != 1 || wanted.front() < 0 || wanted.front() >= chunk_count()) return false;
  return std::ranges::is_permutation(available, all_but(wanted, chunk_count()));
}

Positions ClayCode::nodes(const Positions& chunks) const {
  Positions result;
  for (const int chunk : chunks) result.push_back(geometry_.node(chunk));
  return result;
}

Recovery ClayCode::encoding() const {
  Positions coding(coding_positions().begin(), coding_positions().end());
  std::optional<Recovery> recovery = decoding(geometry_, scalar_, nodes(coding), nodes(coding));
  if (!recovery) throw Error("the scalar code cannot compute all coding chunks of clay; give another scalar_mds");
  return std::move(*recovery);
}

/// If all other chunks are available: usually from parts of d chunks. With shec as scalar code and d < k+m-1, another chunk may be
/// needed; then from whole chunks. Null if it cannot be rebuilt.
const Recovery* ClayCode::repairing(int lost) const {
  KeptRepair& kept = repairs_.at(index(lost));
  // repair() is timed, so only the first call computes.
  std::call_once(kept.is_made, [&] {
    std::optional<Recovery> recovery = make_repair(lost);
    if (!recovery) return;
    layers_.prepare_thread(*recovery);
    kept.recovery = std::make_unique<const Recovery>(std::move(*recovery));
  });
  return kept.recovery.get();
}

std::optional<Recovery> ClayCode::make_repair(int lost) const {
  const int node = geometry_.node(lost);
  const Positions helpers = repair_helpers(geometry_, helper_count_, lost);
  Positions unread;
  for (int chunk = 0; chunk < chunk_count(); chunk++) {
    if (chunk != lost && !std::ranges::binary_search(helpers, chunk)) unread.push_back(geometry_.node(chunk));
  }
  std::optional<Recovery> recovery = clay::repairing(geometry_, scalar_, node, unread);
  if (!recovery || !unread.empty()) {
    std::optional<Recovery> from_whole_chunks = decoding(geometry_, scalar_, {node}, {node});
    if (!from_whole_chunks) return {};
    // minimum_to_decode() must name what the plan reads (erasure_code.h): whole chunks if the plan reads one that is not a helper.
    const auto is_known = [&](int other) { return from_whole_chunks->roles[index(other)] == Role::known; };
    if (!recovery || std::ranges::any_of(unread, is_known)) recovery = std::move(from_whole_chunks);
  }
  return recovery;
}

std::size_t ClayCode::sub_chunk_size(std::size_t chunk_size) const {
  const std::size_t unit = index(sub_chunk_count()) * sub_chunk_unit_;
  if (chunk_size % unit == 0) return chunk_size / index(sub_chunk_count());
  throw Error("chunks of " + std::to_string(chunk_size) + " bytes cannot be encoded or decoded: their size must be a multiple of " +
              std::to_string(unit) + " bytes (" + std::to_string(sub_chunk_unit_) + " bytes for each of the " +
              std::to_string(sub_chunk_count()) + " sub-chunks)");
}

}  // namespace ecbench::clay
