#include "benchmark/mixed/overwrite_jobs.h"

#include <cstring>
#include <string>

#include "benchmark/objects/object.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::uint64_t seed_of_new_bytes = 0x6d69786564;  // a number that users are unlikely to choose as the seed of an object

/// The object's bytes, without padding.
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

DeltaJob::DeltaJob(const EncodedObject& object, std::size_t objects)
    : chunks_(static_cast<std::size_t>(object.code().data_chunk_count())) {
  for (std::size_t i = 0; i < objects; i++) objects_.push_back(std::make_unique<EncodedObject>(object));
}

ReencodingJob::ReencodingJob(const EncodedObject& object, std::size_t objects)
    : code_(object.code()), coding_(code_.coding_positions().begin(), code_.coding_positions().end()) {
  const std::vector<std::uint8_t> bytes = random_object(object.chunks().chunk_size_bytes(), seed_of_new_bytes);
  for (std::size_t i = 0; i < objects; i++) {
    Overwrite& overwrite = overwrites_.emplace_back();
    overwrite.object = std::make_unique<EncodedObject>(object);
    overwrite.new_bytes = std::make_unique<ChunkBuffers>(1, bytes.size());
    std::memcpy((*overwrite.new_bytes)[0], bytes.data(), bytes.size());
    for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
      std::vector<const std::uint8_t*>& data = overwrite.data.emplace_back(overwrite.object->stripes()[stripe].data);
      data[i % data.size()] = (*overwrite.new_bytes)[0] + stripe * object.chunk_size_bytes();
    }
  }
}

std::size_t ReencodingJob::object_bytes(const EncodedObject& object) {
  return object.footprint_bytes() + ChunkBuffers::memory_bytes(1, object.chunks().chunk_size_bytes());
}

const std::vector<const std::uint8_t*>& ReencodingJob::data_of(const Overwrite& overwrite, std::size_t stripe) const {
  return overwrite.is_new ? overwrite.data[stripe] : overwrite.object->stripes()[stripe].data;
}

void ReencodingJob::run(std::size_t object) {
  Overwrite& overwrite = overwrites_[object];
  overwrite.is_new = !overwrite.is_new;
  for (std::size_t stripe = 0; stripe < overwrite.data.size(); stripe++) {
    code_.encode(data_of(overwrite, stripe), overwrite.object->stripes()[stripe].coding, overwrite.object->chunk_size_bytes());
  }
}

void ReencodingJob::check(std::size_t object) {
  const Overwrite& overwrite = overwrites_[object];
  const std::size_t size = overwrite.object->chunk_size_bytes();
  const ChunkBuffers expected(code_.coding_chunk_count(), size);
  for (std::size_t stripe = 0; stripe < overwrite.data.size(); stripe++) {
    code_.encode(data_of(overwrite, stripe), expected.all(), size);
    for (int i = 0; i < expected.count(); i++) {
      const std::uint8_t* found = overwrite.object->stripes()[stripe].coding[static_cast<std::size_t>(i)];
      if (std::memcmp(found, expected[i], size) == 0) continue;
      throw Error("wrong bytes after overwriting: chunk " + std::to_string(coding_[static_cast<std::size_t>(i)]) + " differs",
                  Error::Kind::wrong_bytes);
    }
  }
  for (const int position : code_.data_positions()) overwrite.object->check(position, "overwriting");
}

}  // namespace ecbench
