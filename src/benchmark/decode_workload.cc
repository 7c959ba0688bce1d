// decode: lost chunks are rebuilt from the others, by plans that were resolved before.

#include <algorithm>

#include "benchmark/erasure_patterns.h"
#include "benchmark/workload.h"

namespace ecbench {
namespace {

class DecodeWorkload : public Workload {
 public:
  DecodeWorkload(const Point& point, const EncodedObject& object)
      : object_(object), patterns_(choose_patterns(object.code(), point)), exhaustive_(visits_all(point)) {
    for (const auto& plan : patterns_.plans) object.check_decode(*plan);
  }

  void run(std::uint64_t iterations) override {
    if (exhaustive_) {
      for (std::uint64_t i = 0; i < iterations; i++) {
        for (const auto& plan : patterns_.plans) object_.decode(*plan);
      }
      return;
    }
    std::size_t next = 0;
    for (std::uint64_t i = 0; i < iterations; i++) {
      object_.decode(*patterns_.plans[next]);
      next = next + 1 == patterns_.plans.size() ? 0 : next + 1;
    }
  }

  // Later patterns read what the first one rebuilds, so that only its chunks can be spoilt.
  void poison_results() override { object_.poison(patterns_.plans.front()->rebuilt); }

  void check_results() const override { object_.check("decoding"); }

  std::uint64_t operations_per_iteration() const override { return exhaustive_ ? patterns_.plans.size() : 1; }
  std::uint64_t patterns() const override { return patterns_.plans.size(); }
  std::uint64_t unrecoverable() const override { return patterns_.unrecoverable; }

  std::string note() const override {
    if (patterns_.unrecoverable == 0) return "";
    return std::to_string(patterns_.unrecoverable) + " of " + std::to_string(patterns_.considered) +
           " erasure patterns cannot be recovered by this code and are left out";
  }

  std::vector<Positions> erased() const override {
    std::vector<Positions> result;
    for (const auto& plan : patterns_.plans) result.push_back(plan->erased);
    return result;
  }

 private:
  static bool visits_all(const Point& point) {
    return point.erased.empty() && point.generation == ErasureGeneration::exhaustive;
  }

  const EncodedObject& object_;
  ErasurePatterns patterns_;
  bool exhaustive_;
};

}  // namespace

std::unique_ptr<Workload> make_decode_workload(const Point& point, const EncodedObject& object) {
  return std::make_unique<DecodeWorkload>(point, object);
}

}  // namespace ecbench
