// The objects of one thread and their operations. Each kind has objects of its own, so that the last result of each can be checked
// afterwards. Nothing here reads a clock.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
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
  /// So that check() detects a result that run() does not write.
  virtual void poison(std::size_t object) = 0;
  /// Throws Error (wrong_bytes).
  virtual void check(std::size_t object) = 0;
};

/// What runs in the background: repairs of lost chunks, or deep scrubs of whole objects.
enum class Background : std::uint8_t { repair, deep_scrub };

/// In the order of Background.
inline constexpr std::array<const char*, 2> background_names{"repair", "deep-scrub"};

/// The verified object, the plans of degraded reads, and the chunks that are repaired in turn; constant, shared by all threads.
class JobMaterial {
 public:
  /// `object`, encoded with `stripe_unit`, must outlive this. Throws Error for degraded reads or repairs of a code that can rebuild
  /// no chunk of that kind. No `background`: nothing runs in it.
  JobMaterial(const EncodedObject& object, std::size_t stripe_unit, const Shares& shares, std::optional<Background> background);

  /// False if there are no overwrites, or they encode the object again.
  bool overwrites_by_delta() const;
  /// For the throughput: the object, or the mean data chunk without padding of an overwrite.
  double operation_bytes(ForegroundKind kind) const;
  /// That an operation of the background rebuilds or checks.
  int background_chunks() const;
  std::size_t background_bytes() const;
  /// Bytes read per byte of background_bytes(); for repairs, the mean over the lost chunks.
  double background_reads() const;

  /// The share of this kind must not be 0.
  std::size_t object_bytes(ForegroundKind kind) const;
  std::size_t background_object_bytes() const;

  std::unique_ptr<Job> make_job(ForegroundKind kind, std::size_t objects) const;
  std::unique_ptr<Job> make_background_job(std::size_t objects) const;

 private:
  const EncodedObject& object_;
  std::optional<Background> background_;
  std::unique_ptr<const EncodedObject> with_new_bytes_;            // for overwrites
  std::vector<std::shared_ptr<const DecodePlan>> degraded_plans_;  // one for each data chunk that can be rebuilt
  std::vector<LostChunk> lost_;
};

/// On objects in turn; later checks those that were used.
class JobRound {
 public:
  explicit JobRound(std::unique_ptr<Job> job) : job_(std::move(job)) {}
  /// On the next object.
  void run() {
    job_->run(next_);
    if (++next_ < job_->object_count()) return;
    next_ = 0;
    used_all_ = true;
  }
  /// On the first `objects` objects, with checks; poisons the results before and after. Throws Error (wrong_bytes).
  void prove(std::size_t objects);
  void prove_all() { prove(job_->object_count()); }
  /// Checks the objects of run(), then calls prove() for a few. Throws Error (wrong_bytes).
  void check_used();

 private:
  std::unique_ptr<Job> job_;
  std::size_t next_ = 0;
  bool used_all_ = false;
};

}  // namespace ecbench
