#include "benchmark/mixed/overwrite_job.h"

namespace ecbench {
namespace {

/// Without padding.
std::vector<std::uint8_t> bytes_of(const EncodedObject& object) {
  std::vector<std::uint8_t> bytes;
  for (const EncodedObject::Stripe& stripe : object.stripes()) {
    for (const std::uint8_t* chunk : stripe.data) bytes.insert(bytes.end(), chunk, chunk + object.chunk_size_bytes());
  }
  bytes.resize(object.object_size_bytes());
  return bytes;
}

}  // namespace

std::unique_ptr<const EncodedObject> with_one_changed_chunk(const EncodedObject& object, std::size_t stripe_unit) {
  return std::make_unique<EncodedObject>(object.code(), bytes_of(object), stripe_unit, std::vector<LostChunk>{},
                                         Extras{.changed_chunks = 1});
}

OverwriteJob::OverwriteJob(const EncodedObject& object, std::size_t objects, bool by_delta)
    : coding_(object.code().coding_positions().begin(), object.code().coding_positions().end()), by_delta_(by_delta) {
  for (std::size_t i = 0; i < objects; i++) objects_.push_back(std::make_unique<EncodedObject>(object));
}

void OverwriteJob::run(std::size_t object) {
  const EncodedObject& overwritten = *objects_[object];
  const std::size_t first = object % overwritten.code().data_positions().size();
  const bool undoes = overwritten.overwritten_from().has_value();
  if (!by_delta_) return undoes ? overwritten.undo_overwrite_by_encoding() : overwritten.overwrite_by_encoding(first);
  const std::span<std::uint8_t> scratch = objects_.front()->scratch();
  return undoes ? overwritten.undo_overwrite(scratch) : overwritten.overwrite(first, scratch);
}

void OverwriteJob::poison(std::size_t object) {
  if (!by_delta_) objects_[object]->poison(coding_);
}

}  // namespace ecbench
