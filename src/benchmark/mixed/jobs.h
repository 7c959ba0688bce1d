// The objects of one thread, and the operations on them. Each kind of operation has its own objects, so that the last result on
// each object can be checked after the measurement. The functions of this file do not read a clock. Job::run() does not allocate
// memory.

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
  /// Does the operation on one object. Only this function is timed.
  virtual void run(std::size_t object) = 0;
  /// Overwrites the results on this object, so that check() detects a missing write.
  virtual void poison(std::size_t object) = 0;
  /// Compares every byte of the results on this object with the correct bytes. Throws Error (wrong_bytes) if they differ.
  virtual void check(std::size_t object) = 0;
};

/// The verified object, its plans and its lost chunks. It is immutable, and all threads share it.
class JobMaterial {
 public:
  /// `object`, which was encoded with `stripe_unit`, must outlive the JobMaterial. Throws Error if there are degraded reads and the
  /// code cannot rebuild any data chunk, or if there are repairs and the code cannot repair any chunk.
  JobMaterial(const EncodedObject& object, std::size_t stripe_unit, const Shares& shares, bool repairs);

  /// True if overwrites update the coding chunks by parity delta; if false, they encode the object again.
  bool overwrites_by_delta() const { return with_new_bytes_ != nullptr; }
  /// The number of bytes that one operation adds to the throughput: the size of the object. For an overwrite, the mean size of a
  /// data chunk, without padding.
  double operation_bytes(ForegroundKind kind) const;
  /// The number of bytes that a repair rebuilds.
  std::size_t repaired_bytes() const { return object_.chunks().chunk_size_bytes(); }
  /// Mean amount of data that a repair reads, over all lost chunks. Unit: one chunk.
  double repair_reads() const;

  /// The memory of one object.
  std::size_t object_bytes(ForegroundKind kind) const;
  std::size_t repair_object_bytes() const;

  std::unique_ptr<Job> make_job(ForegroundKind kind, std::size_t objects) const;
  std::unique_ptr<Job> make_repair_job(std::size_t objects) const;

 private:
  const EncodedObject& object_;
  std::unique_ptr<const EncodedObject> with_new_bytes_;            // for overwrites by parity delta
  std::vector<std::shared_ptr<const DecodePlan>> degraded_plans_;  // one for each data chunk that can be rebuilt
  std::vector<LostChunk> lost_;
};

/// Runs one operation after the other, on the objects of a job in turn. Checks the objects that were used.
class JobRound {
 public:
  explicit JobRound(std::unique_ptr<Job> job) : job_(std::move(job)) {}
  void run() {
    job_->run(next_);
    if (++next_ < job_->object_count()) return;
    next_ = 0;
    used_all_ = true;
  }
  /// Runs the operation once on every object, and checks the results. Poisons the results before and afterwards. Throws Error
  /// (wrong_bytes).
  void prove();
  /// Checks the objects that were used since prove(). Throws Error (wrong_bytes).
  void check_used();

 private:
  std::unique_ptr<Job> job_;
  std::size_t next_ = 0;
  bool used_all_ = false;
};

}  // namespace ecbench
