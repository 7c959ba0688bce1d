// A workload: what is timed. It is prepared before the clock starts, so that run() only calls the code. To add a workload, write a
// file with its make_NAME_workload() and add a line to workloads.inc.

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

  /// Does the work `iterations` times. It continues the round of objects and patterns after `first` iterations. Only this is timed;
  /// with Timing::kernel it allocates nothing. Several threads may run it at the same time, each on its own objects.
  virtual void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const = 0;

  /// Overwrites what iteration 0 must write on `object`, so that check_results() notices if it did not. Does nothing if a run
  /// leaves nothing.
  virtual void poison_results(const EncodedObject& object) const = 0;

  /// Checks what runs left on `object`; if a run leaves nothing, repeats it and checks its results. Throws Error (wrong_bytes).
  virtual void check_results(const EncodedObject& object) const = 0;

  /// Overwrites what it must write on each of `objects`, runs on each at least once and every pattern at least once, and checks
  /// every byte that it wrote. Throws Error (wrong_bytes).
  virtual void prove(Objects objects) const;

  virtual std::uint64_t operations_per_iteration() const { return 1; }
  /// Erasure patterns visited in turn, 0 if the workload loses nothing.
  virtual std::uint64_t patterns() const { return 0; }
  virtual std::uint64_t unrecoverable() const { return 0; }
  /// One line for the user that is not an error; "" if there is none.
  virtual std::string note() const { return ""; }
  /// The erasure patterns, for `--verbose`.
  virtual std::vector<Positions> erased() const { return {}; }
  /// What one operation must move, in the order of operations, for the limit; empty if no limit applies.
  virtual std::vector<Transfer> transfers() const { return {}; }
  /// What repairs read, for each lost chunk in turn; empty if the workload is not a repair.
  virtual std::vector<ReadSet> reads() const { return {}; }
};

/// Which chunks a workload loses.
enum class Losses {
  none,
  one,  ///< of all chunks, each in turn; it is repaired from what the code asks for (minimum_to_decode), which may be parts of
        ///< chunks
  any,  ///< patterns of point.erasures chunks
};

/// What is known of a workload before it is made.
struct WorkloadDescriptor {
  const char* name = "";
  Losses losses = Losses::none;
  bool is_reference_loop = false;         ///< only moves bytes, for comparison: runs no code, and has no limit of its own
  std::size_t objects_per_iteration = 1;  ///< a round of objects has a multiple of these
  std::unique_ptr<Workload> (*make)(const Point& point, const EncodedObject& object) = nullptr;

  bool loses_chunks() const { return losses != Losses::none; }
};

/// The names of all workloads.
std::vector<std::string> workload_names();

/// Throws Error if there is none of that name.
const WorkloadDescriptor& workload_named(const std::string& name);

/// The workload that `point` names, checked on `object`, which has the helper parts of lost_chunks() if the workload loses one
/// chunk and the code repairs from parts. Throws Error for an unknown name or what it cannot do, wrong_bytes if a check fails.
std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object);

// One function per workload's file.
#define WORKLOAD(NAME, ...) std::unique_ptr<Workload> make_##NAME##_workload(const Point& point, const EncodedObject& object);
#include "benchmark/workloads/workloads.inc"
#undef WORKLOAD

}  // namespace ecbench
