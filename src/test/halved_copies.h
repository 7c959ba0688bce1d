// A simple code whose repair reads only parts of chunks. The code stores three copies of the object. Each copy has two sub-chunks.
// A lost copy is rebuilt from the first half of one available copy and the second half of the other available copy.

#pragma once

#include <algorithm>
#include <cstring>

#include "erasure_code/erasure_code.h"

namespace ecbench {

enum class RepairFault {
  none,
  one_byte_wrong,
  writes_to_a_helper,
  asks_for_too_much,  ///< requests sub-chunks that do not exist
  asks_for_the_lost_one,
  has_no_repair,  ///< requests parts of chunks, but repair() returns null
  reads_what_it_did_not_ask_for,
};

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
    if (fault_ == RepairFault::reads_what_it_did_not_ask_for) return {{available[1], {{0, 2}}}};
    if (fault_ == RepairFault::asks_for_the_lost_one) return {{wanted[0], {{0, 2}}}};
    return {{available[0], {{0, 1}}}, {available[1], {{1, fault_ == RepairFault::asks_for_too_much ? 2 : 1}}}};
  }

  const Repair* repair() const override {
    return fault_ == RepairFault::has_no_repair || fault_ == RepairFault::reads_what_it_did_not_ask_for ? nullptr : this;
  }

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
      if (std::find(erased.begin(), erased.end(), position) == erased.end()) plan->reads = {position};
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const std::uint8_t* left = chunks[static_cast<std::size_t>(plan.reads.front())];
    for (const int position : plan.rebuilt) std::memcpy(chunks[static_cast<std::size_t>(position)], left, chunk_size);
  }

 private:
  RepairFault fault_;
};

}  // namespace ecbench
