#include "benchmark/mixed/jobs.h"

#include <algorithm>

#include "benchmark/mixed/overwrite_jobs.h"
#include "benchmark/mixed/read_job.h"
#include "benchmark/mixed/repair_job.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

class EncodeJob : public Job {
 public:
  EncodeJob(const EncodedObject& object, std::size_t objects)
      : coding_(object.code().coding_positions().begin(), object.code().coding_positions().end()) {
    for (std::size_t i = 0; i < objects; i++) objects_.push_back(std::make_unique<EncodedObject>(object));
  }

  std::size_t object_count() const override { return objects_.size(); }
  void run(std::size_t object) override { objects_[object]->encode(); }
  void poison(std::size_t object) override { objects_[object]->poison(coding_); }
  void check(std::size_t object) override { objects_[object]->check("encoding"); }

 private:
  Positions coding_;
  std::vector<std::unique_ptr<const EncodedObject>> objects_;
};

bool can_overwrite_by_delta(const EncodedObject& object) {
  const ParityDelta* delta = object.code().parity_delta();
  return delta != nullptr && object.chunk_size_bytes() % delta->granularity() == 0;
}

/// One plan for each data chunk that the code can rebuild. Each plan rebuilds only this chunk. Throws Error (unrecoverable) if the
/// code cannot rebuild any data chunk.
std::vector<std::shared_ptr<const DecodePlan>> plans_of_data_chunks(const ErasureCode& code) {
  std::vector<std::shared_ptr<const DecodePlan>> plans;
  for (const int position : code.data_positions()) {
    try {
      plans.push_back(code.plan({position}, {position}));
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::unrecoverable) throw;
    }
  }
  if (plans.empty())
    throw Error("degraded reads are not possible: this code cannot rebuild any data chunk; remove degraded-read from the shares",
                Error::Kind::unrecoverable);
  return plans;
}

}  // namespace

JobMaterial::JobMaterial(const EncodedObject& object, std::size_t stripe_unit, const Shares& shares, bool repairs)
    : object_(object) {
  const auto has = [&](ForegroundKind kind) { return shares[static_cast<std::size_t>(kind)] > 0; };
  if (has(ForegroundKind::overwrite) && can_overwrite_by_delta(object)) {
    with_new_bytes_ = with_one_changed_chunk(object, stripe_unit);
  }
  if (has(ForegroundKind::degraded_read)) degraded_plans_ = plans_of_data_chunks(object.code());
  if (repairs) lost_ = lost_chunks(object.code(), Point{}).chunks;
}

double JobMaterial::operation_bytes(ForegroundKind kind) const {
  const auto bytes = static_cast<double>(object_.object_size_bytes());
  return kind == ForegroundKind::overwrite ? bytes / object_.code().data_chunk_count() : bytes;
}

double JobMaterial::repair_reads() const {
  if (lost_.empty()) return 0;
  std::vector<ReadSet> reads;
  for (const LostChunk& lost : lost_) reads.push_back(lost.reads);
  return mean_read_cost(reads, object_.code().sub_chunk_count()).drive_factor;
}

std::size_t JobMaterial::object_bytes(ForegroundKind kind) const {
  switch (kind) {
    case ForegroundKind::read:
    case ForegroundKind::degraded_read:
      return ReadJob::object_bytes(object_);
    case ForegroundKind::overwrite:
      return with_new_bytes_ ? with_new_bytes_->footprint_bytes() : ReencodingJob::object_bytes(object_);
    case ForegroundKind::encode:
      break;
  }
  return object_.footprint_bytes();
}

std::size_t JobMaterial::repair_object_bytes() const {
  return RepairJob::object_bytes(object_, lost_);
}

std::unique_ptr<Job> JobMaterial::make_job(ForegroundKind kind, std::size_t objects) const {
  switch (kind) {
    case ForegroundKind::read:
      return std::make_unique<ReadJob>(object_, std::vector<std::shared_ptr<const DecodePlan>>{nullptr}, objects);
    case ForegroundKind::degraded_read:
      return std::make_unique<ReadJob>(object_, degraded_plans_, objects);
    case ForegroundKind::overwrite:
      if (with_new_bytes_) return std::make_unique<DeltaJob>(*with_new_bytes_, objects);
      return std::make_unique<ReencodingJob>(object_, objects);
    case ForegroundKind::encode:
      break;
  }
  return std::make_unique<EncodeJob>(object_, objects);
}

std::unique_ptr<Job> JobMaterial::make_repair_job(std::size_t objects) const {
  return std::make_unique<RepairJob>(object_, lost_, objects);
}

void JobRound::prove() {
  for (std::size_t object = 0; object < job_->object_count(); object++) {
    job_->poison(object);
    job_->run(object);
    job_->check(object);
    job_->poison(object);
  }
}

void JobRound::check_used() {
  const std::size_t used = used_all_ ? job_->object_count() : next_;
  for (std::size_t object = 0; object < used; object++) job_->check(object);
}

}  // namespace ecbench
