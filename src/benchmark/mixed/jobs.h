// The objects of one thread, and the operations on these objects. Each kind of operation has its own objects, so that the last
// result of each object can be checked after the measurement. The functions in this file do not read a clock.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "benchmark/erasures/repair_reads.h"
#include "benchmark/mixed/shares.h"
#include "benchmark/objects/encoded_object.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

class Job {
 public:
  virtual ~Job() = default;
  virtual std::size_t object_count() const = 0;
  /// Runs the operation on one object. Only this function is timed. It does not allocate memory.
  virtual void run(std::size_t object) = 0;
  /// Fills the results of this object with wrong bytes, so that check() detects a result that run() does not write.
  virtual void poison(std::size_t object) = 0;
  /// Compares every byte of the results of this object with the correct byte. Throws Error (wrong_bytes) if a byte is wrong.
  virtual void check(std::size_t object) = 0;
};

/// The data from which jobs are made: the verified object, the decode plans for degraded reads, and the chunks that are repaired in
/// turn. All threads share one JobMaterial, which does not change.
class JobMaterial {
 public:
  /// `object` must outlive the JobMaterial. `stripe_unit` is the stripe unit with which `object` was encoded. Throws Error if
  /// `shares` contains degraded reads, but the code cannot rebuild any data chunk. Throws Error if `repairs` is true, but the code
  /// cannot rebuild any chunk.
  JobMaterial(const EncodedObject& object, std::size_t stripe_unit, const Shares& shares, bool repairs);

  /// True if overwrites update the coding chunks by parity delta; if false, they encode the object again.
  bool overwrites_by_delta() const { return with_new_bytes_ != nullptr; }
  /// The number of bytes that count for the throughput in one operation. This is the size of the object. For an overwrite, it is
  /// the mean size of a data chunk without padding.
  double operation_bytes(ForegroundKind kind) const;
  /// The number of bytes that a repair rebuilds.
  std::size_t repaired_bytes() const { return object_.chunks().chunk_size_bytes(); }
  /// The number of bytes that a repair reads, divided by the chunk size. It is the mean over all lost chunks.
  double repair_reads() const;

  /// The memory in bytes of one object that is used by operations of this kind.
  std::size_t object_bytes(ForegroundKind kind) const;
  /// The memory in bytes of one object that is used by repairs.
  std::size_t repair_object_bytes() const;

  std::unique_ptr<Job> make_job(ForegroundKind kind, std::size_t objects) const;
  std::unique_ptr<Job> make_repair_job(std::size_t objects) const;

 private:
  const EncodedObject& object_;
  std::unique_ptr<const EncodedObject> with_new_bytes_;            // for overwrites by parity delta
  std::vector<std::shared_ptr<const DecodePlan>> degraded_plans_;  // one for each data chunk that can be rebuilt
  std::vector<LostChunk> lost_;
};

/// Runs the operation of a job on its objects in turn, and later checks the objects that were used.
class JobRound {
 public:
  explicit JobRound(std::unique_ptr<Job> job) : job_(std::move(job)) {}
  /// Runs the operation once, on the next object.
  void run() {
    job_->run(next_);
    if (++next_ < job_->object_count()) return;
    next_ = 0;
    used_all_ = true;
  }
  /// Runs the operation once on every object and checks its results. Poisons the results before the operation and after the check.
  /// Throws Error (wrong_bytes) if a check fails.
  void prove();
  /// Checks the objects on which run() was called. Throws Error (wrong_bytes) if a check fails.
  void check_used();

 private:
  std::unique_ptr<Job> job_;
  std::size_t next_ = 0;
  bool used_all_ = false;
};

}  // namespace ecbench
