#include "benchmark/mixed/scrub_job.h"

#include <algorithm>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// For each checksum of the object, until one is false; then false.
template <class Check>
bool all_parts(const EncodedObject& object, const Check& check) {
  for (int position = 0; position < object.chunks().count(); position++) {
    for (Bytes chunk = object.chunks().bytes(position); !chunk.empty();) {
      const Bytes stride = chunk.first(std::min(chunk.size(), scrub_stride_bytes));
      for (Bytes rest = stride; !rest.empty();) {
        const Bytes block = rest.first(std::min(rest.size(), checksum_block_bytes));
        if (!check(block)) return false;
        rest = rest.subspan(block.size());
      }
      if (!check(stride)) return false;
      chunk = chunk.subspan(stride.size());
    }
  }
  return true;
}

}  // namespace

ScrubJob::ScrubJob(const EncodedObject& truth, std::size_t objects) : crc32c_(isal_crc32c()), is_clean_(objects) {
  all_parts(truth, [&](Bytes part) {
    expected_.push_back(bytewise_crc32c(part));
    return true;
  });
  for (std::size_t i = 0; i < objects; i++) objects_.push_back(std::make_unique<EncodedObject>(truth));
  const EncodedObject& first = *objects_.front();
  for (int position = 0; position < first.chunks().count(); position++) {
    std::uint8_t& last = first.chunks().bytes(position).back();
    last = static_cast<std::uint8_t>(~last);
    const bool found = !has_checksums(first);
    last = static_cast<std::uint8_t>(~last);
    if (found) continue;
    throw Error("wrong bytes: ecbench changed a byte of chunk " + std::to_string(position) +
                    " as a test, but the deep scrub did not detect this",
                Error::Kind::wrong_bytes);
  }
}

bool ScrubJob::has_checksums(const EncodedObject& object) const {
  auto expected = expected_.begin();
  return all_parts(object, [&](Bytes part) { return crc32c_(part) == *expected++; });
}

void ScrubJob::check(std::size_t object) {
  if (is_clean_[object] != 0) return;
  throw Error("wrong bytes: the deep scrub reported damage, but the object is not damaged", Error::Kind::wrong_bytes);
}

}  // namespace ecbench
