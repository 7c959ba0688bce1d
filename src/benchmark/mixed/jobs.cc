#include "benchmark/mixed/jobs.h"

#include <algorithm>

#include "benchmark/mixed/overwrite_job.h"
#include "benchmark/mixed/read_job.h"
#include "benchmark/mixed/repair_job.h"
#include "benchmark/mixed/scrub_job.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/objects/repair_check.h"
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

/// Each rebuilds one data chunk. Throws Error (unrecoverable) if there is none.
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

JobMaterial::JobMaterial(const EncodedObject& object, std::size_t stripe_unit, const Shares& shares,
                         std::optional<Background> background)
    : object_(object), background_(background) {
  const auto has = [&](ForegroundKind kind) { return shares[static_cast<std::size_t>(kind)] > 0; };
  if (has(ForegroundKind::overwrite)) with_new_bytes_ = with_one_changed_chunk(object, stripe_unit);
  if (has(ForegroundKind::degraded_read)) degraded_plans_ = plans_of_data_chunks(object.code());
  if (background != Background::repair) return;
  lost_ = lost_chunks(object.code(), Point{}).chunks;
  for (const LostChunk& lost : lost_) {
    if (reads_parts(lost.reads, object.code().sub_chunk_count())) continue;
    check_repair(lost, *object.code().plan({lost.position}, {lost.position}), object);
  }
}

bool JobMaterial::overwrites_by_delta() const {
  return with_new_bytes_ != nullptr && has_parity_delta(object_.code(), object_.chunk_size_bytes());
}

double JobMaterial::operation_bytes(ForegroundKind kind) const {
  const auto bytes = static_cast<double>(object_.object_size_bytes());
  return kind == ForegroundKind::overwrite ? bytes / object_.code().data_chunk_count() : bytes;
}

int JobMaterial::background_chunks() const {
  return background_ == Background::deep_scrub ? object_.chunks().count() : 1;
}

std::size_t JobMaterial::background_bytes() const {
  return static_cast<std::size_t>(background_chunks()) * object_.chunks().chunk_size_bytes();
}

double JobMaterial::background_reads() const {
  if (background_ == Background::deep_scrub) return 1;
  if (lost_.empty()) return 0;
  return mean_read_cost(lost_, object_.code().sub_chunk_count()).drive_factor;
}

std::size_t JobMaterial::object_bytes(ForegroundKind kind) const {
  switch (kind) {
    case ForegroundKind::read:
    case ForegroundKind::degraded_read:
      return ReadJob::object_bytes(object_);
    case ForegroundKind::overwrite:
      return with_new_bytes_->footprint_bytes();
    case ForegroundKind::encode:
      break;
  }
  return object_.footprint_bytes();
}

std::size_t JobMaterial::background_object_bytes() const {
  if (background_ == Background::deep_scrub) return object_.footprint_bytes();
  return RepairJob::object_bytes(object_, lost_);
}

std::unique_ptr<Job> JobMaterial::make_job(ForegroundKind kind, std::size_t objects) const {
  switch (kind) {
    case ForegroundKind::read:
      return std::make_unique<ReadJob>(object_, std::vector<std::shared_ptr<const DecodePlan>>{nullptr}, objects);
    case ForegroundKind::degraded_read:
      return std::make_unique<ReadJob>(object_, degraded_plans_, objects);
    case ForegroundKind::overwrite:
      return std::make_unique<OverwriteJob>(*with_new_bytes_, objects, overwrites_by_delta());
    case ForegroundKind::encode:
      break;
  }
  return std::make_unique<EncodeJob>(object_, objects);
}

std::unique_ptr<Job> JobMaterial::make_background_job(std::size_t objects) const {
  if (background_ == Background::deep_scrub) return std::make_unique<ScrubJob>(object_, objects);
  return std::make_unique<RepairJob>(object_, lost_, objects);
}

void JobRound::prove(std::size_t objects) {
  for (std::size_t object = 0; object < std::min(objects, job_->object_count()); object++) {
    job_->poison(object);
    job_->run(object);
    job_->check(object);
    job_->poison(object);
  }
}

void JobRound::check_used() {
  const std::size_t used = used_all_ ? job_->object_count() : next_;
  for (std::size_t object = 0; object < used; object++) job_->check(object);
  // If run() stopped writing its results, the results of an earlier call are still correct.
  constexpr std::size_t proved_again = 64;  // each chunk of a usual code is repaired, or overwritten, at least once
  prove(proved_again);
}

}  // namespace ecbench
