#include "benchmark/encoded_object.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

Positions to_vector(std::span<const int> positions) { return {positions.begin(), positions.end()}; }

}  // namespace

EncodedObject::EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object)
    : code_(code),
      chunks_(code.chunk_count(), code.chunk_size(object.size())),
      truth_(code.chunk_count(), chunks_.chunk_size_bytes()) {
  place(object);
  for (const int position : code.data_positions()) data_.push_back(chunks_[position]);
  for (const int position : code.coding_positions()) coding_.push_back(chunks_[position]);
  encode();
  copy(chunks_, truth_, code.coding_positions());
  poison(to_vector(code.coding_positions()));
  encode();
  check("encoding twice");
  for (const int position : code.coding_positions()) check_coding_chunk(position);
}

void EncodedObject::place(std::span<const std::uint8_t> object) {
  for (const int position : code_.data_positions()) {
    const std::size_t size = std::min(object.size(), chunk_size_bytes());
    std::memcpy(chunks_[position], object.data(), size);
    object = object.subspan(size);
  }
  if (!object.empty()) throw Error("the code's chunks are too small for the object", Error::Kind::wrong_bytes);
  copy(chunks_, truth_, code_.data_positions());
}

void EncodedObject::copy(const ChunkBuffers& from, const ChunkBuffers& to, std::span<const int> positions) const {
  for (const int position : positions) std::memcpy(to[position], from[position], chunk_size_bytes());
}

void EncodedObject::poison(const Positions& positions) const {
  for (const int position : positions) {
    std::ranges::transform(truth_.bytes(position), chunks_[position], [](std::uint8_t byte) {
      return static_cast<std::uint8_t>(~byte);
    });
  }
}

void EncodedObject::check_decode(const DecodePlan& plan) const {
  poison(plan.erased);
  decode(plan);
  Positions not_rebuilt;
  std::ranges::set_difference(plan.erased, plan.rebuilt, std::back_inserter(not_rebuilt));
  check_except(not_rebuilt, "decoding");
  copy(truth_, chunks_, not_rebuilt);
}

void EncodedObject::check_except(const Positions& left_out, const char* what) const {
  for (int position = 0; position < chunks_.count(); position++) {
    if (std::ranges::binary_search(left_out, position)) continue;
    const std::span<const std::uint8_t> found = chunks_.bytes(position);
    const std::span<const std::uint8_t> expected = truth_.bytes(position);
    if (std::memcmp(found.data(), expected.data(), found.size()) == 0) continue;
    const auto offset = std::ranges::mismatch(found, expected).in1 - found.begin();
    throw Error(std::string("wrong bytes after ") + what + ": chunk " + std::to_string(position) + " differs from byte " +
                    std::to_string(offset) + " on",
                Error::Kind::wrong_bytes);
  }
}

// Loses every other coding chunk and one data chunk, so that the data can only come back through this one.
void EncodedObject::check_coding_chunk(int coding_position) const {
  for (const int data_position : code_.data_positions()) {
    Positions erased{data_position};
    std::ranges::copy_if(code_.coding_positions(), std::back_inserter(erased), [&](int position) {
      return position != coding_position;
    });
    std::shared_ptr<const DecodePlan> plan;
    try {
      plan = code_.plan_uncached(erased, {data_position});
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::unrecoverable) throw;
      continue;  // this coding chunk does not cover this data chunk
    }
    if (!std::ranges::binary_search(plan->reads, coding_position)) continue;
    check_decode(*plan);
    return;
  }
  throw Error("coding chunk " + std::to_string(coding_position) + " cannot be checked: no data chunk can be decoded through it",
              Error::Kind::wrong_bytes);
}

}  // namespace ecbench
