// From call number `from` on, the function in the name of the technique computes wrong bytes, or writes nothing, in chunks of more
// than `above` bytes, so that the verification before the timed loop can find no error. With technique `other_code` and from=1,
// decode() changes back what encode() changes: only a comparison with another build finds it. HAS_FAULTS=false: all is correct.

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "erasure_code/plugin.h"
#include "faulty_codes.h"

namespace {

using namespace ecbench;

struct LateFault {
  std::set<std::string> functions;
  int from = 1;
  std::size_t above = 0;
  bool writes_nothing = false;
};

class FaultyFunctions {
 public:
  explicit FaultyFunctions(LateFault fault) : fault_(std::move(fault)) {}

  /// Calls `write` and then makes the result wrong, if `function` has the fault and this is a late call.
  void run(const std::string& function, std::uint8_t* result, std::size_t size, const auto& write) const {
    const bool wrong = HAS_FAULTS && size > fault_.above && fault_.functions.contains(function) && ++calls_ >= fault_.from;
    if (wrong && fault_.writes_nothing) return;
    write();
    if (wrong) result[0] ^= 1;
  }

 private:
  LateFault fault_;
  mutable std::atomic<int> calls_ = 0;
};

class LateXorOfTwo : public XorOfTwo {
 public:
  LateXorOfTwo(LateFault fault, bool has_delta) : functions_(std::move(fault)), has_delta_(has_delta) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding, std::size_t size) const override {
    functions_.run(is_first_object(data) ? "encode" : "encode_of_other_data", coding[0], size,
                   [&] { FaultyCode::encode(data, coding, size); });
  }
  const ParityDelta* parity_delta() const override { return has_delta_ ? this : nullptr; }

 protected:
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t size) const override {
    functions_.run(plan.rebuilt[0] == 2 ? "decode_of_coding" : "decode", chunks[static_cast<std::size_t>(plan.rebuilt[0])], size,
                   [&] { FaultyCode::run_plan(plan, chunks, size); });
  }

 private:
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    functions_.run(changed[0].chunk == ChunkNumber{1} ? "update_of_last" : "update", coding[0], size,
                   [&] { XorOfTwo::update(changed, coding, size, scratch); });
  }

  /// Whether the object begins as the one of the first call.
  bool is_first_object(std::span<const std::uint8_t* const> data) const {
    std::array<std::uint64_t, 2> begin{};
    for (std::size_t i = 0; i < 2; i++) std::memcpy(&begin[i], data[i], sizeof(begin[i]));
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = begin;
    return *first_ == begin;
  }

  FaultyFunctions functions_;
  bool has_delta_;
  mutable std::mutex mutex_;
  mutable std::optional<std::array<std::uint64_t, 2>> first_;
};

class ThreeCopies : public HalvedCopies {
 public:
  explicit ThreeCopies(LateFault fault) : functions_(std::move(fault)) {}

  std::size_t chunk_size(std::size_t object_size) const override { return padded_chunk_size(object_size, 1, 128); }
  using HalvedCopies::repair;
  void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt, std::size_t size) const override {
    functions_.run("repair", rebuilt, size, [&] { HalvedCopies::repair(lost, helpers, rebuilt, size); });
  }

 private:
  FaultyFunctions functions_;
};

Technique faulty(const std::string& name, const std::set<std::string>& functions) {
  return {
      .name = name,
      .summary = "a fault",
      .parameters = {{.name = "from", .default_value = "50", .minimum = 1, .why = {}, .meaning = "number of the first wrong call"},
                     {.name = "above", .default_value = "0", .why = {}, .meaning = "bytes of a chunk without the fault"},
                     {.name = "writes_nothing", .type = Parameter::Type::flag, .default_value = "no", .why = {}, .meaning = ""}},
      .make = [=](const Profile& profile, const Context&) -> std::unique_ptr<ErasureCode> {
        const LateFault fault{functions, profile.integer("from"), index(profile.integer("above")), profile.flag("writes_nothing")};
        if (name == "repair") return std::make_unique<ThreeCopies>(fault);
        return std::make_unique<LateXorOfTwo>(fault, name != "encode_without_delta" && name != "encode_of_other_data");
      }};
}

const Plugin plugin{.name = "wrong_later",
                    .summary = "a fault",
                    .default_technique = "encode",
                    .techniques = {faulty("encode", {"encode", "encode_of_other_data"}),
                                   faulty("encode_without_delta", {"encode", "encode_of_other_data"}),
                                   faulty("encode_of_other_data", {"encode_of_other_data"}),
                                   faulty("encode_and_update", {"encode", "encode_of_other_data", "update", "update_of_last"}),
                                   faulty("update", {"update", "update_of_last"}), faulty("update_of_last", {"update_of_last"}),
                                   faulty("decode", {"decode", "decode_of_coding"}),
                                   faulty("decode_of_coding", {"decode_of_coding"}), faulty("repair", {"repair"}),
                                   faulty("other_code", {"encode", "encode_of_other_data", "decode", "decode_of_coding"})}};

}  // namespace

ECBENCH_PLUGIN(plugin)
