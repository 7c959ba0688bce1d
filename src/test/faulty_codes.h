// Codes with one fault, which an enum selects. Tests use these codes to check that ecbench detects the fault.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

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

/// A 2+1 code whose coding chunk is the XOR of the data chunks.
class FaultyCode : public ErasureCode {
 public:
  explicit FaultyCode(Fault fault = Fault::none) : ErasureCode(Shape{.data_chunk_count = 2, .chunk_count = 3}), fault_(fault) {}

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

/// A 2+1 code with a parity delta.
class XorOfTwo : public FaultyCode, protected ParityDelta {
 public:
  std::size_t chunk_size(std::size_t object_size) const override { return padded_chunk_size(object_size, 2, 64); }
  const ParityDelta* parity_delta() const override { return this; }

 protected:
  std::size_t scratch_size(std::size_t) const override { return 0; }
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t>) const override {
    for (const ChangedChunk& chunk : changed) {
      for (std::size_t i = 0; i < size; i++) coding[0][i] ^= chunk.old_bytes[i] ^ chunk.new_bytes[i];
    }
  }
};

/// A code that computes no chunks. `make` makes its decode plans for the chunks that are lost.
class OnlyPlans : public ErasureCode {
 public:
  OnlyPlans(Shape shape, std::function<DecodePlan(const Positions& erased)> make)
      : ErasureCode(std::move(shape)), make_(std::move(make)) {}
  std::size_t chunk_size(std::size_t object_size) const override { return object_size; }
  void encode(std::span<const std::uint8_t* const>, std::span<std::uint8_t* const>, std::size_t) const override {}

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    return std::make_unique<DecodePlan>(make_(erased));
  }
  void run_plan(const DecodePlan&, std::span<std::uint8_t* const>, std::size_t) const override {}

 private:
  std::function<DecodePlan(const Positions& erased)> make_;
};

enum class RepairFault {
  none,
  one_byte_wrong,
  writes_to_a_helper,
  asks_for_too_much,  ///< requests sub-chunks that do not exist
  asks_for_the_lost_one,
  has_no_repair,  ///< requests parts of chunks, but repair() returns null
  reads_what_it_did_not_ask_for,
  reads_what_it_did_not_plan,  ///< if one chunk is lost
};

/// Three copies of the object, of two sub-chunks each. A lost copy is rebuilt from the first half of one available copy and the
/// second half of the other.
class HalvedCopies : public ErasureCode, public Repair {
 public:
  explicit HalvedCopies(RepairFault fault = RepairFault::none)
      : ErasureCode(Shape{.data_chunk_count = 1, .chunk_count = 3, .sub_chunk_count = 2}), fault_(fault) {}

  std::size_t chunk_size(std::size_t object_size) const override { return round_up(object_size, 2); }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    for (std::uint8_t* copy : coding) std::memcpy(copy, data[0], chunk_size);
  }

  ReadSet minimum_to_decode(const Positions& wanted, const Positions& available) const override {
    if (available.size() != 2 || std::ranges::includes(available, wanted)) return ErasureCode::minimum_to_decode(wanted, available);
    if (reads_too_much()) return {{available[1], {{0, 2}}}};
    if (fault_ == RepairFault::asks_for_the_lost_one) return {{wanted[0], {{0, 2}}}};
    return {{available[0], {{0, 1}}}, {available[1], {{1, fault_ == RepairFault::asks_for_too_much ? 2 : 1}}}};
  }

  const Repair* repair() const override { return fault_ == RepairFault::has_no_repair || reads_too_much() ? nullptr : this; }

  void repair(int, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt, std::size_t chunk_size) const override {
    std::size_t half = 0;
    for (const std::uint8_t* part : helpers) {
      if (part == nullptr) continue;
      std::memcpy(rebuilt + half * (chunk_size / 2), part, chunk_size / 2);
      half++;
      if (fault_ == RepairFault::writes_to_a_helper) const_cast<std::uint8_t*>(part)[0] ^= 1;
    }
    if (fault_ == RepairFault::one_byte_wrong) rebuilt[chunk_size - 1] ^= 1;
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    for (int position = 2; position >= 0; position--) {
      if (std::find(erased.begin(), erased.end(), position) != erased.end()) continue;
      plan->reads = {position};
      if (fault_ == RepairFault::reads_what_it_did_not_plan) break;
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const bool is_planned = fault_ != RepairFault::reads_what_it_did_not_plan || plan.erased.size() > 1;
    const int from = is_planned ? plan.reads.front() : 3 - plan.reads.front() - plan.rebuilt.front();
    const std::uint8_t* left = chunks[static_cast<std::size_t>(from)];
    for (const int position : plan.rebuilt) std::memcpy(chunks[static_cast<std::size_t>(position)], left, chunk_size);
  }

 private:
  bool reads_too_much() const {
    return fault_ == RepairFault::reads_what_it_did_not_ask_for || fault_ == RepairFault::reads_what_it_did_not_plan;
  }

  RepairFault fault_;
};

}  // namespace ecbench
