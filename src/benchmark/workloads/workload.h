// A workload: what is timed. All it needs is worked out before the clock starts, so that run() holds calls of the code and nothing
// else. To add one, write its file and name it in workload.cc.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/point/point.h"

namespace ecbench {

/// The objects that a run goes round: one, which stays in the cache, or a pool that does not fit in it.
using Objects = std::span<const EncodedObject* const>;

/// Walks round a number of things, one a step.
class Round {
 public:
  Round(std::size_t count, std::uint64_t first) : count_(count), next_(first % count) {}
  std::size_t next() {
    const std::size_t current = next_;
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
    return current;
  }

 private:
  std::size_t count_;
  std::size_t next_;
};

/// The bytes that an operation on an object cannot do without.
struct Transfer {
  ReadSet reads;
  Positions writes;                 ///< whole chunks; those that are not read
  std::optional<std::size_t> part;  ///< the number of the lost chunk among the object's helper parts, if these are what is read
};

/// All of the chunks at `positions`.
ReadSet whole_chunks(const ErasureCode& code, const Positions& positions);

class Workload {
 public:
  virtual ~Workload() = default;

  /// Does the work `iterations` times, going on in the round of objects and patterns after `first` iterations. This is what the
  /// clock holds; with Timing::kernel it allocates nothing. Several threads may run it at once, each on objects of its own.
  virtual void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const = 0;

  /// Overwrites what iteration 0 must write on `object`, so that it can be seen that it did. Nothing where nothing stays.
  virtual void poison_results(const EncodedObject& object) const = 0;

  /// Checks what runs left on `object`, and, where a run leaves nothing, does it once more to look. Throws Error (wrong_bytes).
  virtual void check_results(const EncodedObject& object) const = 0;

  /// Overwrites what it must write on each of `objects`, runs on each at least once and every pattern at least once, and checks
  /// every byte that it wrote. Throws Error (wrong_bytes).
  virtual void prove(Objects objects) const;

  virtual std::uint64_t operations_per_iteration() const { return 1; }
  /// Erasure patterns visited in turn, 0 if the workload loses nothing.
  virtual std::uint64_t patterns() const { return 0; }
  virtual std::uint64_t unrecoverable() const { return 0; }
  /// One line that the user should read though it is no error; "" if there is none.
  virtual std::string note() const { return ""; }
  /// The erasure patterns, for `--verbose`.
  virtual std::vector<Positions> erased() const { return {}; }
  /// What one operation must move, one after the other in the order of operations, for the limit; empty if there is no limit to be
  /// compared with.
  virtual std::vector<Transfer> transfers() const { return {}; }
  /// What repairs read, one lost chunk after the other; empty where the workload is no repair.
  virtual std::vector<ReadSet> reads() const { return {}; }
  /// Objects that one iteration works on, so that a round holds a multiple of them.
  virtual std::size_t objects_per_iteration() const { return 1; }
  /// True for a yardstick, which is not held against the limit once more and leaves chunks that hold no object.
  virtual bool is_yardstick() const { return false; }
};

/// The names of all workloads.
std::vector<std::string> workload_names();

/// The workload that `point` names, checked on `object`. Throws Error for an unknown name or what it cannot do, wrong_bytes if a
/// check fails.
std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object);

/// One function per workload's file.
std::unique_ptr<Workload> make_encode_workload(const Point& point, const EncodedObject& object);
std::unique_ptr<Workload> make_decode_workload(const Point& point, const EncodedObject& object);
/// The object has the helper parts of lost_chunks(), if the code repairs from parts.
std::unique_ptr<Workload> make_repair_workload(const Point& point, const EncodedObject& object);
std::unique_ptr<Workload> make_limit_workload(const Point& point, const EncodedObject& object);
std::unique_ptr<Workload> make_memcpy_workload(const Point& point, const EncodedObject& object);

}  // namespace ecbench
