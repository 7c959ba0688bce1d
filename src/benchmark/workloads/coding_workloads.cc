// The workloads encode (coding chunks are computed from the data chunks) and decode (lost chunks are rebuilt from the remaining
// chunks), also as Ceph calls an erasure code (--timing api): each call allocates and frees the chunks that it writes, keeps chunks
// in a map, copies data chunks that must be padded, and requests its decode plan. The kernels are those of --timing kernel.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>

#include "benchmark/erasures/erasures.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

/// Gets each chunk of a call.
using SeeChunk = std::function<void(int position, std::size_t stripe, std::span<const std::uint8_t> chunk)>;

/// Allocates a node for each position, as Ceph's map of chunks does.
using AvailableChunks = std::set<int>;

struct FreeIfOwned {
  bool owned = false;
  void operator()(std::uint8_t* memory) const {
    if (owned) std::free(memory);
  }
};

/// New memory from posix_memalign(), as in Ceph, or a chunk of the object.
using Chunk = std::unique_ptr<std::uint8_t[], FreeIfOwned>;

Chunk new_chunk(std::size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, chunk_alignment_bytes, size) != 0) throw std::bad_alloc();
  return {static_cast<std::uint8_t*>(memory), {.owned = true}};
}

/// For the result at this position. If `see` is not null, the chunk begins with wrong bytes: freed memory can still have the
/// correct results of an earlier call, which would hide that the code writes nothing.
Chunk result_chunk(const EncodedObject& object, int position, std::size_t stripe, const SeeChunk& see) {
  const std::size_t size = object.chunk_size_bytes();
  Chunk chunk = new_chunk(size);
  if (see) {
    const std::uint8_t* correct = object.chunks()[position] + stripe * size;
    std::transform(correct, correct + size, chunk.get(), [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  }
  return chunk;
}

Chunk existing_chunk(std::uint8_t* chunk) { return {chunk, {.owned = false}}; }

/// A padded copy if the chunk extends beyond the object's end.
Chunk data_chunk(const EncodedObject& object, std::size_t stripe, std::size_t index, int position) {
  const std::size_t size = object.chunk_size_bytes();
  std::uint8_t* bytes = object.chunks()[position] + stripe * size;
  const auto k = static_cast<std::size_t>(object.code().data_chunk_count());
  const std::size_t begin = (stripe * k + index) * size;
  if (begin + size <= object.object_size_bytes()) return existing_chunk(bytes);
  const std::size_t filled = begin < object.object_size_bytes() ? object.object_size_bytes() - begin : 0;
  Chunk padded = new_chunk(size);
  std::memcpy(padded.get(), bytes, filled);
  std::memset(padded.get() + filled, 0, size - filled);
  return padded;
}

void show(const std::map<int, Chunk>& chunks, std::size_t stripe, std::size_t size, const SeeChunk& see) {
  for (const auto& [position, chunk] : chunks) see(position, stripe, {chunk.get(), size});
}

/// Copies and pads only data chunks that extend beyond the object's end. `see` may be null.
void ceph_encode(const EncodedObject& object, const SeeChunk& see) {
  const ErasureCode& code = object.code();
  const std::size_t size = object.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
    std::map<int, Chunk> chunks;
    std::vector<const std::uint8_t*> data;
    data.reserve(code.data_positions().size());
    std::vector<std::uint8_t*> coding;
    coding.reserve(code.coding_positions().size());
    for (std::size_t i = 0; i < code.data_positions().size(); i++) {
      const int position = code.data_positions()[i];
      data.push_back((chunks[position] = data_chunk(object, stripe, i, position)).get());
    }
    for (const int position : code.coding_positions()) {
      coding.push_back((chunks[position] = result_chunk(object, position, stripe, see)).get());
    }
    code.encode(data, coding, size);
    if (see) show(chunks, stripe, size, see);
  }
}

/// `erased` must be ascending.
AvailableChunks available_chunks(const ErasureCode& code, const Positions& erased) {
  AvailableChunks left;
  for (int position = 0; position < code.chunk_count(); position++) {
    if (!std::ranges::binary_search(erased, position)) left.insert(left.end(), position);
  }
  return left;
}

/// Rebuilds the chunks in both `wanted` and `erased`. `given`: the remaining positions, made once as by Ceph's tool with --erased;
/// null: made for each stripe, as without. `keeps_plans` (BenchmarkInfo::keeps_plans_in_ceph()): plans come from the cache,
/// otherwise they are computed for each stripe. `see` may be null.
void ceph_decode(const EncodedObject& object, const AvailableChunks* given, const Positions& erased, const Positions& wanted,
                 bool keeps_plans, const SeeChunk& see) {
  const ErasureCode& code = object.code();
  const std::size_t size = object.chunk_size_bytes();
  for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
    // Ceph's plugins get a map of the remaining chunks and return one of all.
    const AvailableChunks made = given == nullptr ? available_chunks(code, erased) : AvailableChunks();
    const AvailableChunks& left = given == nullptr ? made : *given;
    std::map<int, Chunk> chunks;
    // Ceph's plugins have these pointers on the stack; a vector per thread allocates nothing either.
    thread_local std::vector<std::uint8_t*> pointers;
    pointers.clear();
    for (int position = 0; position < code.chunk_count(); position++) {
      Chunk& chunk = chunks[position];
      chunk = left.contains(position) ? existing_chunk(object.chunks()[position] + stripe * size)
                                      : result_chunk(object, position, stripe, see);
      pointers.push_back(chunk.get());
    }
    const auto plan = keeps_plans ? code.plan(erased, wanted) : code.plan_uncached(erased, wanted);
    code.decode(*plan, pointers, size);
    if (!see) continue;
    for (const int position : plan->erased) {
      if (std::ranges::find(plan->rebuilt, position) == plan->rebuilt.end()) chunks.erase(position);  // decode() did not write it
    }
    show(chunks, stripe, size, see);
  }
}

class EncodeWorkload : public Workload {
 public:
  explicit EncodeWorkload(const EncodedObject& object)
      : data_(whole_chunks(object.code(), {object.code().data_positions().begin(), object.code().data_positions().end()})),
        coding_(object.code().coding_positions().begin(), object.code().coding_positions().end()) {}

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) objects[round.next()]->encode();
  }

  void poison_results(const EncodedObject& object) const override { object.poison(coding_); }
  void check_results(const EncodedObject& object) const override { object.check("encoding"); }
  std::vector<Transfer> transfers() const override { return {{data_, coding_, {}}}; }
  std::set<std::string> kernels(const BenchmarkInfo& info) const override { return {info.kernel_of(nullptr)}; }

 private:
  ReadSet data_;
  Positions coding_;
};

/// Each call allocates the chunks that it writes, and the padded ones that it reads.
class EncodeCallWorkload : public EncodeWorkload {
 public:
  using EncodeWorkload::EncodeWorkload;

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) ceph_encode(*objects[round.next()], nullptr);
  }

  void poison_results(const EncodedObject&) const override {}

  void check_results(const EncodedObject& object) const override {
    ceph_encode(object, [&](int position, std::size_t stripe, std::span<const std::uint8_t> chunk) {
      object.check_chunk(position, stripe, chunk, "encoding");
    });
    object.check("encoding");
  }
};

/// Plans are computed before the timing.
class DecodeWorkload : public Workload {
 public:
  DecodeWorkload(const Point& point, const EncodedObject& object)
      : code_(object.code()),
        patterns_(choose_patterns(object.code(), point)),
        exhaustive_(point.erased.empty() && point.generation == ErasureGeneration::exhaustive) {
    object.check_decodes(patterns_.plans);
  }

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    first *= operations_per_iteration();
    Round object(objects.size(), first);
    Round pattern(patterns_.plans.size(), first);
    const std::uint64_t operations = iterations * operations_per_iteration();
    for (std::uint64_t i = 0; i < operations; i++) objects[object.next()]->decode(*patterns_.plans[pattern.next()]);
  }

  // Only those of the first pattern: it may read chunks that later patterns rebuild.
  void poison_results(const EncodedObject& object) const override { object.poison(patterns_.plans.front()->rebuilt); }
  void check_results(const EncodedObject& object) const override { object.check("decoding"); }

  void prove(Objects objects) const override {
    const std::size_t turns = std::max(objects.size(), patterns_.plans.size());
    for (std::size_t i = 0; i < turns; i++) {
      check_plans(*objects[i % objects.size()], std::span(patterns_.plans).subspan(i % patterns_.plans.size(), 1));
    }
  }

  void prove_first(const EncodedObject& object, std::uint64_t iterations) const override {
    const std::size_t count = patterns_.plans.size();
    const std::uint64_t used = std::min<std::uint64_t>(iterations, count) * operations_per_iteration();
    check_plans(object, std::span(patterns_.plans).first(std::min<std::uint64_t>(used, count)));
  }

  std::uint64_t operations_per_iteration() const override { return exhaustive_ ? patterns_.plans.size() : 1; }
  std::uint64_t patterns() const override { return patterns_.plans.size(); }
  std::uint64_t unrecoverable() const override { return patterns_.unrecoverable; }

  std::vector<Transfer> transfers() const override {
    std::vector<Transfer> result;
    if (rebuilds_nothing()) return result;
    for (const auto& plan : patterns_.plans) result.push_back({whole_chunks(code_, plan->reads), plan->rebuilt, {}});
    return result;
  }

  std::set<std::string> kernels(const BenchmarkInfo& info) const override {
    std::set<std::string> result;
    for (const auto& plan : patterns_.plans) result.insert(info.kernel_of(plan.get()));
    return result;
  }

  std::string note() const override {
    if (rebuilds_nothing()) return "no chunk is rebuilt, so the figure is the speed of calls that do nothing";
    if (patterns_.unrecoverable == 0) return "";
    return std::to_string(patterns_.unrecoverable) + " of " + std::to_string(patterns_.considered) +
           " erasure patterns are left out, because this code cannot recover them";
  }

  std::vector<Positions> erased() const override {
    std::vector<Positions> result;
    for (const auto& plan : patterns_.plans) result.push_back(plan->erased);
    return result;
  }

  std::vector<PlanRequest> plan_requests() const override {
    std::vector<PlanRequest> result;
    for (const auto& plan : patterns_.plans) {
      if (!plan->rebuilt.empty()) result.push_back({plan->erased, plan->rebuilt});
    }
    return result;
  }

 protected:
  using Plans = std::span<const std::shared_ptr<const DecodePlan>>;

  const ErasurePatterns& chosen() const { return patterns_; }
  virtual void check_plans(const EncodedObject& object, Plans plans) const { object.check_decodes(plans); }

 private:
  bool rebuilds_nothing() const {
    return std::ranges::all_of(patterns_.plans, [](const auto& plan) { return plan->rebuilt.empty(); });
  }

  const ErasureCode& code_;
  ErasurePatterns patterns_;
  bool exhaustive_;
};

/// Each call allocates the chunks that it writes, and requests its plan.
class DecodeCallWorkload : public DecodeWorkload {
 public:
  DecodeCallWorkload(const Point& point, const EncodedObject& object)
      : DecodeWorkload(point, object), keeps_plans_(info_of(object.code()).keeps_plans_in_ceph()) {
    if (!point.erased.empty()) available_ = available_chunks(object.code(), chosen().plans.front()->erased);
  }

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    first *= operations_per_iteration();
    Round object(objects.size(), first);
    Round pattern(patterns(), first);
    const std::uint64_t operations = iterations * operations_per_iteration();
    for (std::uint64_t i = 0; i < operations; i++) {
      const DecodePlan& plan = *chosen().plans[pattern.next()];
      ceph_decode(*objects[object.next()], available(), plan.erased, plan.rebuilt, keeps_plans_, nullptr);
    }
  }

  void poison_results(const EncodedObject&) const override {}
  void check_results(const EncodedObject& object) const override { check_plans(object, std::span(chosen().plans).first(1)); }

 protected:
  void check_plans(const EncodedObject& object, Plans plans) const override {
    for (const auto& plan : plans) {
      ceph_decode(object, available(), plan->erased, plan->rebuilt, keeps_plans_,
                  [&](int position, std::size_t stripe, std::span<const std::uint8_t> chunk) {
                    object.check_chunk(position, stripe, chunk, "decoding");
                  });
    }
    object.check("decoding");
  }

 private:
  const AvailableChunks* available() const { return available_ ? &*available_ : nullptr; }

  bool keeps_plans_;
  std::optional<AvailableChunks> available_;  // absent without --erased: ceph_decode() then makes the set for each stripe
};

}  // namespace

std::unique_ptr<Workload> make_encode_workload(const Point& point, const EncodedObject& object) {
  if (point.timing == Timing::api) return std::make_unique<EncodeCallWorkload>(object);
  return std::make_unique<EncodeWorkload>(object);
}

std::unique_ptr<Workload> make_decode_workload(const Point& point, const EncodedObject& object) {
  if (point.timing == Timing::api) return std::make_unique<DecodeCallWorkload>(point, object);
  return std::make_unique<DecodeWorkload>(point, object);
}

}  // namespace ecbench
