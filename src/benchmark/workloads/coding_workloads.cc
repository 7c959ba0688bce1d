// The workload encode: coding chunks are computed from the data chunks.

#include <algorithm>
#include <optional>

#include "benchmark/erasures/erasures.h"
#include "benchmark/workloads/ceph_call.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

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

}  // namespace

std::unique_ptr<Workload> make_encode_workload(const Point& point, const EncodedObject& object) {
  if (point.timing == Timing::api) return std::make_unique<EncodeCallWorkload>(object);
  return std::make_unique<EncodeWorkload>(object);
}

// The workload decode: lost chunks are rebuilt from the remaining chunks.

namespace {

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

std::unique_ptr<Workload> make_decode_workload(const Point& point, const EncodedObject& object) {
  if (point.timing == Timing::api) return std::make_unique<DecodeCallWorkload>(point, object);
  return std::make_unique<DecodeWorkload>(point, object);
}

}  // namespace ecbench
