// FaultyCode is a 2+1 code whose coding chunk is the XOR of the data chunks. It has one fault, which the enum Fault selects. Tests
// use this code to check that ecbench detects the fault.

#pragma once

#include <atomic>

#include "erasure_code/erasure_code.h"

namespace ecbench {

enum class Fault {
  none,
  encodes_nothing,         ///< does not write the coding chunk
  forgets_the_last_byte,   ///< does not write the last byte of the coding chunk
  encodes_something_else,  ///< flips one bit of each byte of the coding chunk
  spoils_a_data_chunk,     ///< encode() changes a data chunk
  decodes_nothing,
  decodes_one_byte_wrong,
  spoils_a_survivor,    ///< decode() changes a chunk that is not lost
  encodes_wrong_later,  ///< the first 49 calls of encode() compute correct bytes, all later calls compute wrong bytes
};

class FaultyCode : public ErasureCode {
 public:
  explicit FaultyCode(Fault fault) : ErasureCode(Shape{.data_chunk_count = 2, .chunk_count = 3}), fault_(fault) {}

  std::size_t chunk_size(std::size_t object_size) const override { return (object_size + 1) / 2; }
  /// Of encode().
  int calls() const { return calls_; }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    calls_++;
    if (fault_ == Fault::encodes_nothing) return;
    if (fault_ == Fault::forgets_the_last_byte) chunk_size--;
    const bool wrong = fault_ == Fault::encodes_something_else || (fault_ == Fault::encodes_wrong_later && calls_ >= 50);
    for (std::size_t i = 0; i < chunk_size; i++)
      coding[0][i] = static_cast<std::uint8_t>(data[0][i] ^ data[1][i] ^ (wrong ? 1 : 0));
    if (fault_ == Fault::spoils_a_data_chunk) const_cast<std::uint8_t*>(data[1])[0] ^= 1;
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    for (int position = 0; position < 3; position++) {
      if (position != erased.front()) plan->reads.push_back(position);
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    if (fault_ == Fault::decodes_nothing) return;
    const auto chunk = [&](int position) { return chunks[static_cast<std::size_t>(position)]; };
    std::uint8_t* out = chunk(plan.rebuilt[0]);
    for (std::size_t i = 0; i < chunk_size; i++) out[i] = chunk(plan.reads[0])[i] ^ chunk(plan.reads[1])[i];
    if (fault_ == Fault::decodes_one_byte_wrong) out[chunk_size / 2] ^= 0x10;
    if (fault_ == Fault::spoils_a_survivor) chunk(plan.reads[0])[0] ^= 1;
  }

 private:
  Fault fault_;
  mutable std::atomic<int> calls_ = 0;
};

}  // namespace ecbench
