// All chunks are checked: coding chunks are recomputed and compared, and each CRC32C with that from before the measurement.

#include <atomic>

#include "benchmark/objects/object.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

class ScrubWorkload : public Workload {
 public:
  explicit ScrubWorkload(const EncodedObject& object) : crc32c_(isal_crc32c()), code_(object.code()) {
    if (crc32c_ == nullptr) {
      throw Error(
          "--workload scrub needs libisal.so.2 with the function crc32_iscsi, but this library was not found: install the package "
          "libisal2");
    }
    const ChunkBuffers& chunks = object.chunks();
    for (int position = 0; position < chunks.count(); position++) {
      expected_.push_back(bytewise_crc32c(chunks.bytes(position)));
      if (crc32c_(chunks.bytes(position)) == expected_.back()) continue;
      throw Error("wrong bytes: ISA-L's CRC32C of chunk " + std::to_string(position) + " is wrong", Error::Kind::wrong_bytes);
    }
    for (int position = 0; position < chunks.count(); position++) check_damage_is_found(object, position);
    check_results(object);
  }

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) {
      if (!is_clean(*objects[round.next()])) damaged_.store(true, std::memory_order_relaxed);
    }
  }

  void poison_results(const EncodedObject& object) const override { object.poison_recomputed(); }

  void check_results(const EncodedObject& object) const override {
    object.check("scrubbing");
    if (damaged_.load() || !is_clean(object)) {
      throw Error("wrong bytes: the scrub reported damage, but the object is not damaged", Error::Kind::wrong_bytes);
    }
  }

  std::vector<Transfer> transfers() const override {
    Positions all;
    for (int position = 0; position < code_.chunk_count(); position++) all.push_back(position);
    return {{.reads = whole_chunks(code_, all), .writes = {}, .part = {}}};
  }

 private:
  bool is_clean(const EncodedObject& object) const {
    bool clean = true;
    for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) clean &= object.recompute(stripe);
    for (int position = 0; position < object.chunks().count(); position++) {
      clean &= crc32c_(object.chunks().bytes(position)) == expected_[static_cast<std::size_t>(position)];
    }
    return clean;
  }

  void check_damage_is_found(const EncodedObject& object, int position) const {
    std::uint8_t& last = object.chunks().bytes(position).back();
    last = static_cast<std::uint8_t>(~last);
    const bool found = !is_clean(object);
    last = static_cast<std::uint8_t>(~last);
    if (!found) {
      throw Error("wrong bytes: ecbench changed a byte of chunk " + std::to_string(position) +
                      " as a test, but the scrub did not detect this",
                  Error::Kind::wrong_bytes);
    }
  }

  Crc32c crc32c_;
  const ErasureCode& code_;
  std::vector<std::uint32_t> expected_;  // by position
  mutable std::atomic<bool> damaged_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_scrub_workload(const Point&, const EncodedObject& object) {
  return std::make_unique<ScrubWorkload>(object);
}

}  // namespace ecbench
