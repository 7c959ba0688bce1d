// One lost chunk is rebuilt from what minimum_to_decode() requests; without --erased, each chunk in turn, on every object.

#include <optional>
#include <string>

#include "benchmark/erasures/erasures.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// All pairs of an object and a lost chunk, each once before any is repeated; each step goes to the next object.
class Pairs {
 public:
  Pairs(std::size_t objects, std::size_t lost, std::uint64_t first)
      : objects_(objects), lost_count_(lost), round_(first / objects % lost), object_(first % objects) {
    lost_ = (object_ + round_) % lost;
  }

  std::size_t object() const { return object_; }
  std::size_t lost() const { return lost_; }
  void step() {
    if (++object_ < objects_) {
      lost_ = after(lost_);
      return;
    }
    object_ = 0;
    lost_ = round_ = after(round_);
  }

 private:
  std::size_t after(std::size_t lost) const { return lost + 1 == lost_count_ ? 0 : lost + 1; }

  std::size_t objects_;
  std::size_t lost_count_;
  std::size_t round_;  // the lost chunk with which this round of objects began; the next round begins with the next lost chunk
  std::size_t object_;
  std::size_t lost_;
};

[[noreturn]] void refuse_repair(int lost, const std::string& why) {
  throw Error("the plugin failed in the repair of chunk " + std::to_string(lost) + ": " + why);
}

/// A repair must read only what the plugin requests: the figures of the workload count those bytes.
void check_repair(const LostChunk& lost, const DecodePlan& plan, const EncodedObject& object) {
  for (const int position : plan.reads) {
    if (!lost.reads.contains(position))
      refuse_repair(lost.position, "its plan reads chunk " + std::to_string(position) + ", which the plugin did not request");
  }
  Positions poisoned;
  for (int position = 0; position < object.code().chunk_count(); position++) {
    if (!lost.reads.contains(position)) poisoned.push_back(position);
  }
  object.poison(poisoned);
  object.decode(plan);
  object.check(lost.position, "repairing");
  object.restore(poisoned);
}

struct Job {
  std::shared_ptr<const DecodePlan> plan;  ///< rebuilds the chunk from whole chunks; null if repair() rebuilds it from parts
  std::size_t part = 0;                    ///< index of the lost chunk in HelperParts::lost(), if `plan` is null
};

class RepairWorkload : public Workload {
 public:
  RepairWorkload(LostChunks lost, const EncodedObject& object) : lost_(std::move(lost)) {
    std::size_t part = 0;
    for (const LostChunk& chunk : lost_.chunks) {
      if (reads_parts(chunk.reads, object.code().sub_chunk_count())) {
        jobs_.push_back({nullptr, part++});
        check_parts(chunk, jobs_.back(), object);
      } else {
        jobs_.push_back({object.code().plan({chunk.position}, {chunk.position})});
        check_repair(chunk, *jobs_.back().plan, object);
      }
    }
    object.check("repairing");
  }

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Pairs pairs(objects.size(), jobs_.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++, pairs.step()) run_job(jobs_[pairs.lost()], *objects[pairs.object()]);
  }

  void poison_results(const EncodedObject& object) const override { object.poison({lost_.chunks.front().position}); }
  void check_results(const EncodedObject& object) const override { object.check("repairing"); }

  void prove_first(const EncodedObject& object, std::uint64_t) const override {
    for (std::size_t i = 0; i < jobs_.size(); i++) {
      object.poison({lost_.chunks[i].position});
      run_job(jobs_[i], object);
      object.check(lost_.chunks[i].position, "repairing");
    }
    object.check("repairing");
  }

  std::uint64_t patterns() const override { return lost_.chunks.size(); }
  std::uint64_t unrecoverable() const override { return lost_.unrecoverable; }

  std::vector<Transfer> transfers() const override {
    std::vector<Transfer> result;
    for (std::size_t i = 0; i < jobs_.size(); i++) {
      const Job& job = jobs_[i];
      if (job.plan != nullptr) {
        result.push_back({whole_chunks(*job.plan->owner, job.plan->reads), job.plan->rebuilt, {}});
      } else {
        result.push_back({lost_.chunks[i].reads, {lost_.chunks[i].position}, job.part});
      }
    }
    return result;
  }

  std::string note() const override {
    if (lost_.unrecoverable == 0) return "";
    return std::to_string(lost_.unrecoverable) + " of " + std::to_string(lost_.unrecoverable + patterns()) +
           " chunks are left out, because this code cannot rebuild them from the other chunks";
  }

  std::vector<Positions> erased() const override {
    std::vector<Positions> result;
    for (const LostChunk& lost : lost_.chunks) result.push_back({lost.position});
    return result;
  }

  std::vector<PlanRequest> plan_requests() const override {
    std::vector<PlanRequest> result;
    for (const Job& job : jobs_) {
      if (job.plan != nullptr) result.push_back({job.plan->erased, job.plan->rebuilt});
    }
    return result;
  }

  std::vector<LostChunk> repairs() const override { return lost_.chunks; }

 private:
  static void run_job(const Job& job, const EncodedObject& object) {
    if (job.plan != nullptr) {
      object.decode(*job.plan);
    } else {
      object.repair(job.part);
    }
  }

  static void check_parts(const LostChunk& chunk, const Job& job, const EncodedObject& object) {
    if (object.code().repair() == nullptr) {
      refuse_repair(chunk.position, "it requests parts of chunks, but it can repair only from whole chunks");
    }
    const std::optional<HelperParts>& parts = object.helper_parts();
    if (!parts || job.part >= parts->lost()->size() || (*parts->lost())[job.part].position != chunk.position) {
      throw Error("internal error: the helper parts for the repair of chunk " + std::to_string(chunk.position) +
                  " were not copied before the repair");
    }
    object.poison({chunk.position});
    object.repair(job.part);
    object.check(chunk.position, "repairing");
  }

  LostChunks lost_;
  std::vector<Job> jobs_;
};

}  // namespace

std::unique_ptr<Workload> make_repair_workload(const Point& point, const EncodedObject& object) {
  return std::make_unique<RepairWorkload>(lost_chunks(object.code(), point), object);
}

}  // namespace ecbench
