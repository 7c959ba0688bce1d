#include "benchmark/mixed/repair_job.h"

#include <algorithm>

namespace ecbench {
namespace {

StripeLayout layout_of(const EncodedObject& object) {
  return {object.code().chunk_count(), object.code().sub_chunk_count(), object.chunk_size_bytes(), object.stripe_count()};
}

}  // namespace

RepairJob::RepairJob(const EncodedObject& truth, const std::vector<LostChunk>& lost, std::size_t objects) : truth_(truth) {
  const ErasureCode& code = truth.code();
  for (std::size_t i = 0; i < objects; i++) {
    const LostChunk& chunk = lost[i % lost.size()];
    Repair& repair = repairs_.emplace_back();
    repair.lost = chunk.position;
    if (reads_parts(chunk.reads, code.sub_chunk_count())) {
      const auto one = std::make_shared<const std::vector<LostChunk>>(1, chunk);
      repair.parts.emplace(one, layout_of(truth), truth.chunks(), nullptr);
      repair.rebuilt = std::make_unique<ChunkBuffers>(1, truth.chunks().chunk_size_bytes());
    } else {
      repair.object = std::make_unique<EncodedObject>(truth);
      repair.plan = code.plan({chunk.position}, {chunk.position});
    }
  }
}

std::size_t RepairJob::object_bytes(const EncodedObject& truth, std::span<const LostChunk> lost) {
  std::size_t sum = 0;
  for (const LostChunk& chunk : lost) {
    sum += reads_parts(chunk.reads, truth.code().sub_chunk_count())
               ? HelperParts::memory_bytes({&chunk, 1}, layout_of(truth)) +
                     ChunkBuffers::memory_bytes(1, truth.chunks().chunk_size_bytes())
               : truth.footprint_bytes();
  }
  return sum / std::max<std::size_t>(lost.size(), 1);
}

void RepairJob::run(std::size_t object) {
  const Repair& repair = repairs_[object];
  if (repair.plan != nullptr) return repair.object->decode(*repair.plan);
  const std::size_t size = truth_.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < truth_.stripe_count(); stripe++) {
    truth_.code().repair()->repair(repair.lost, repair.parts->of(0, stripe), (*repair.rebuilt)[0] + stripe * size, size);
  }
}

void RepairJob::poison(std::size_t object) {
  const Repair& repair = repairs_[object];
  if (repair.plan != nullptr) return repair.object->poison({repair.lost});
  std::ranges::transform(truth_.chunks().bytes(repair.lost), (*repair.rebuilt)[0],
                         [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
}

void RepairJob::check(std::size_t object) {
  constexpr const char* what = "repairing";
  const Repair& repair = repairs_[object];
  if (repair.plan != nullptr) return repair.object->check(what);
  const std::size_t size = truth_.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < truth_.stripe_count(); stripe++) {
    truth_.check_chunk(repair.lost, stripe, repair.rebuilt->bytes(0).subspan(stripe * size, size), what);
  }
}

}  // namespace ecbench
