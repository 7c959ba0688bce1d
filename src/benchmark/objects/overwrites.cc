#include "benchmark/objects/overwrites.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"

namespace ecbench {

bool has_parity_delta(const ErasureCode& code, std::size_t chunk_size) {
  const ParityDelta* delta = code.parity_delta();
  if (delta == nullptr) return false;
  if (delta->granularity() == 0) throw Error("the plugin failed: the granularity of its parity delta is 0");
  return chunk_size % delta->granularity() == 0;
}

void check_overwrite(const ErasureCode& code, const Point& point, std::size_t chunk_size) {
  const ParityDelta* delta = code.parity_delta();
  if (delta == nullptr) {
    throw Error("--workload overwrite is not allowed with plugin " + point.plugin +
                ": this plugin has no parity delta, so it computes coding chunks only from whole objects; choose another plugin, "
                "such as isa");
  }
  const int most = std::min(code.data_chunk_count(), most_changed_chunks);
  if (point.changed_chunks < 1 || point.changed_chunks > most) {
    throw Error("--changed " + std::to_string(point.changed_chunks) + " is out of range; allowed: 1 to " + std::to_string(most) +
                " (data chunks of this code: " + std::to_string(code.data_chunk_count()) +
                "; limit for every code: " + std::to_string(most_changed_chunks) + ")");
  }
  if (!has_parity_delta(code, chunk_size)) {
    throw Error("--size " + std::to_string(point.size_bytes) + " is not allowed with --workload overwrite: the chunk size of " +
                std::to_string(chunk_size) + " bytes is not a multiple of " + std::to_string(delta->granularity()) +
                " bytes, the granularity of this code; give another --size or --stripe-unit");
  }
}

int overwrite_buffers(const ErasureCode& code, int changed_chunks, std::size_t chunk_size, std::size_t stripe_count) {
  if (changed_chunks == 0 || !has_parity_delta(code, chunk_size)) return changed_chunks;
  const std::size_t buffer = chunk_size * stripe_count;
  const std::size_t scratch = code.parity_delta()->scratch_size(chunk_size);
  const std::size_t buffers = scratch / buffer + (scratch % buffer != 0);
  constexpr std::size_t most_buffers = 1 << 16;
  if (buffers > most_buffers)
    throw Error("the plugin failed: its parity delta needs " + std::to_string(scratch) + " bytes of scratch memory for chunks of " +
                std::to_string(chunk_size) + " bytes");
  return changed_chunks + static_cast<int>(buffers);
}

void fill_new_bytes(const ChunkBuffers& chunks, int changed_chunks) {
  // The old bytes depend on --seed, which is hardly ever this constant, so the new bytes differ from them.
  constexpr std::uint64_t seed = 0x6f76657277726974;
  for (int i = 0; i < changed_chunks; i++) {
    const std::vector<std::uint8_t> bytes = random_object(chunks.chunk_size_bytes(), seed + static_cast<std::uint64_t>(i));
    std::memcpy(chunks[chunks.count() + i], bytes.data(), bytes.size());
  }
}

OverwriteCost overwrite_cost(int changed_chunks, int data_chunk_count, int coding_chunk_count) {
  const int written = changed_chunks + coding_chunk_count;
  return {.by_delta = {.reads = written, .writes = written},
          .by_reencoding = {.reads = data_chunk_count - changed_chunks, .writes = written}};
}

std::span<std::uint8_t> EncodedObject::scratch() const {
  const std::size_t size = code_.parity_delta()->scratch_size(chunk_size_);
  if (size == 0) return {};
  return {chunks_[chunks_.count() + extras_.changed_chunks], size};
}

void EncodedObject::update(std::size_t first, bool undoes, std::span<std::uint8_t> scratch) const {
  for (const Stripe& stripe : stripes_) {
    std::array<ChangedChunk, most_changed_chunks> changed;
    std::size_t chunk = first;
    for (std::size_t i = 0; i < stripe.new_bytes.size(); i++) {
      changed[i] = {ChunkNumber{static_cast<int>(chunk)}, stripe.data[chunk], stripe.new_bytes[i]};
      if (undoes) std::swap(changed[i].old_bytes, changed[i].new_bytes);
      if (++chunk == stripe.data.size()) chunk = 0;
    }
    code_.parity_delta()->update(std::span(changed).first(stripe.new_bytes.size()), stripe.coding, chunk_size_, scratch);
  }
}

void EncodedObject::overwrite(std::size_t first, std::span<std::uint8_t> scratch) const {
  update(first, false, scratch);
  overwritten_from_ = first;
}

void EncodedObject::undo_overwrite(std::span<std::uint8_t> scratch) const {
  update(*overwritten_from_, true, scratch);
  overwritten_from_.reset();
}

void EncodedObject::exchange_new_bytes(std::size_t first) const {
  const std::span<const int> data = code_.data_positions();
  for (const int buffer : new_bytes_positions()) {
    const int position = data[first++ % data.size()];
    for (const ChunkBuffers* buffers : {&chunks_, truth_.get()}) {
      std::ranges::swap_ranges(buffers->bytes(position), buffers->bytes(buffer));
    }
  }
}

// Verified as the object itself: a code that is wrong in every second call would have the same wrong bytes when measured.
std::vector<std::uint64_t> EncodedObject::digests_of_overwrites() const {
  const std::span<const int> coding = code_.coding_positions();
  const std::size_t k = code_.data_positions().size();
  std::vector<std::uint64_t> digests;
  for (std::size_t first = 0; first < k; first++) {
    exchange_new_bytes(first);
    encode_twice();
    if (k * coding.size() <= most_checked_one_by_one) {
      check_coding_chunks();
    } else {
      for (std::size_t i = first % coding.size(); i < coding.size(); i += k)
        check_coding_chunk(coding[i], coding.size() > most_checked_one_by_one);
    }
    for (const int position : coding) digests.push_back(bytes_digest(chunks_.bytes(position)));
    exchange_new_bytes(first);
  }
  return digests;
}

void EncodedObject::reset_overwrite() const {
  restore({code_.coding_positions().begin(), code_.coding_positions().end()});
  overwritten_from_.reset();
}

void EncodedObject::check_overwrite() const {
  constexpr const char* what = "overwriting";
  for (const int position : code_.data_positions()) check(position, what);
  for (const int buffer : new_bytes_positions()) check(buffer, what);
  const std::span<const int> coding = code_.coding_positions();
  for (std::size_t i = 0; i < coding.size(); i++) {
    if (!overwritten_from_) {
      check(coding[i], what);
    } else if (bytes_digest(chunks_.bytes(coding[i])) != (*overwrite_digests_)[*overwritten_from_ * coding.size() + i]) {
      throw Error(
          std::string("wrong bytes after ") + what + ": chunk " + std::to_string(coding[i]) + " differs from the correct bytes",
          Error::Kind::wrong_bytes);
    }
  }
}

}  // namespace ecbench
