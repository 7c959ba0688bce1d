#include "foreign_code/foreign_code.h"

#include <array>
#include <string_view>
#include <utility>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"

namespace ecbench::contenders {
namespace {

/// For each chunk, as a library's decode() takes it.
using Flags = std::vector<std::uint8_t>;

Flags flags(const Positions& positions, int chunk_count) {
  Flags result(index(chunk_count));
  for (const int position : positions) result[index(position)] = 1;
  return result;
}

struct Plan : DecodePlan {
  Flags is_read;
  Flags is_rebuilt;
};

class ForeignCode : public ErasureCode, public BenchmarkInfo, public ParityDelta {
 public:
  ForeignCode(const ForeignLibrary& library, std::uint64_t handle, std::string technique, const ForeignShape& shape)
      : ErasureCode(Shape{.data_chunk_count = shape.k, .chunk_count = shape.k + shape.m}),
        library_(library),
        handle_(handle),
        technique_(std::move(technique)),
        shape_(shape) {}

  ~ForeignCode() override { library_.drop(handle_); }

  std::size_t chunk_size(std::size_t object_size) const override { return padded_chunk_size(object_size, shape_.k, shape_.unit); }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check(library_.encode(handle_, data.data(), coding.data(), chunk_size), "encode");
  }

  const ParityDelta* parity_delta() const override { return library_.update == nullptr ? nullptr : this; }

  std::size_t scratch_size(std::size_t size) const override { return size; }

  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    for (const ChangedChunk& one : changed) {
      const int chunk = static_cast<int>(one.chunk);
      check(library_.update(handle_, chunk, one.old_bytes, one.new_bytes, coding.data(), size, scratch.data()), "update");
    }
  }

  void empty_call() const override { library_.nothing(); }

  std::string kernel() const override { return shape_.kernel; }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    auto plan = std::make_unique<Plan>();
    plan->reads = all_but(erased, chunk_count());
    if (!shape_.reads_all_left) plan->reads.resize(index(shape_.k));
    plan->is_read = flags(plan->reads, chunk_count());
    plan->is_rebuilt = flags(rebuilt, chunk_count());
    if (!shape_.any_k_are_enough && !can_run(*plan)) {
      refuse_unrecoverable(
          erased, "the library cannot rebuild the lost chunks from the first " + std::to_string(shape_.k) + " available chunks");
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto& own = static_cast<const Plan&>(plan);
    check(library_.decode(handle_, chunks.data(), own.is_read.data(), own.is_rebuilt.data(), chunk_size), "decode");
  }

 private:
  struct alignas(chunk_alignment_bytes) Unit : std::array<std::uint8_t, chunk_alignment_bytes> {};

  /// By a decode of chunks of the smallest size.
  bool can_run(const Plan& plan) const {
    const std::size_t units_per_chunk = round_up(shape_.unit, sizeof(Unit)) / sizeof(Unit);
    std::vector<Unit> units(index(chunk_count()) * units_per_chunk);
    std::vector<std::uint8_t*> chunks;
    for (std::size_t i = 0; i < units.size(); i += units_per_chunk) chunks.push_back(units[i].data());
    return library_.decode(handle_, chunks.data(), plan.is_read.data(), plan.is_rebuilt.data(), shape_.unit) == 0;
  }

  void check(int failure, std::string_view what) const {
    if (failure == 0) return;
    throw Error("the library of " + (technique_.empty() ? "the plugin" : "technique=" + technique_) + " failed to " +
                std::string(what) + " (error " + std::to_string(failure) + ")");
  }

  ForeignLibrary library_;
  std::uint64_t handle_;
  std::string technique_;
  ForeignShape shape_;
};

}  // namespace

std::vector<Parameter> chunk_counts(int most_of_one, const std::string& why, const std::string& rule) {
  return {number_parameter("k", "7", 1, most_of_one, why, "data chunks"),
          number_parameter("m", "3", 1, most_of_one, why, "coding chunks" + rule)};
}

std::unique_ptr<ErasureCode> make_foreign_code(const ForeignLibrary& library, const std::string& technique,
                                               const std::string& level, const ForeignShape& shape) {
  const std::string asked =
      (technique.empty() ? "" : "technique=" + technique + " ") + "k=" + std::to_string(shape.k) + " m=" + std::to_string(shape.m);
  if (shape.k + shape.m > shape.chunk_limit) {
    throw Error(asked + " is not allowed: k+m must be at most " + std::to_string(shape.chunk_limit));
  }
  std::array<char, 256> message{};
  const std::uint64_t handle = library.make(technique.c_str(), shape.k, shape.m, level.c_str(), message.data(), message.size());
  if (handle == 0) throw Error(asked + " is not allowed: " + message.data());
  return std::make_unique<ForeignCode>(library, handle, technique, shape);
}

}  // namespace ecbench::contenders
