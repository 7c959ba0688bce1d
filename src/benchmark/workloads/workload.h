// A workload: the operation that is timed. It is prepared before the timing starts, so that run() only calls the code. To add a
// workload, write a file with its make_NAME_workload() and add a line to workloads.inc.

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

/// The objects that a run uses in turn. Warm: one object (memcpy: two). Cold: a pool that does not fit in the cache.
using Objects = std::span<const EncodedObject* const>;

/// Returns the numbers 0 to count-1 repeatedly, in ascending order. The first number is first % count.
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

/// The bytes that an operation on an object must read and write.
struct Transfer {
  ReadSet reads;
  Positions writes;                 ///< whole chunks that are written
  std::optional<std::size_t> part;  ///< if helper parts are read: the index of the lost chunk in HelperParts::lost()
  int new_bytes = 0;                ///< number of changed chunks; their new bytes are read in addition to `reads`
};

/// The arguments of ErasureCode::plan().
struct PlanRequest {
  Positions erased;
  Positions wanted;
};

/// The ReadSet for reading the whole chunks at `positions`.
ReadSet whole_chunks(const ErasureCode& code, const Positions& positions);

class Workload {
 public:
  virtual ~Workload() = default;

  /// Runs `iterations` iterations. The first of them has the number `first`, which determines its objects and pattern. Only this
  /// function is timed. With Timing::kernel it allocates nothing. Several threads may call it at the same time, each with its own
  /// objects.
  virtual void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const = 0;

  /// Overwrites the bytes that iteration 0 must write to `object`, so that check_results() detects a missing write. Does nothing if
  /// a run leaves no result in the object, or if the results are also inputs.
  virtual void poison_results(const EncodedObject& object) const = 0;

  /// Checks the results in `object`. If a run leaves no result in the object, calls the code again and checks what it returns.
  /// Throws Error (wrong_bytes).
  virtual void check_results(const EncodedObject& object) const = 0;

  /// Overwrites the results in each of `objects`, runs at least once on each object, and checks every written byte. The workload
  /// decode uses every pattern at least once. The workload overwrite begins at least once at every data chunk. The workload repair
  /// uses only the first lost chunk. Throws Error (wrong_bytes).
  virtual void prove(Objects objects) const;

  virtual std::uint64_t operations_per_iteration() const { return 1; }
  /// The number of erasure patterns that are used in turn; 0 if the workload has no lost chunks.
  virtual std::uint64_t patterns() const { return 0; }
  virtual std::uint64_t unrecoverable() const { return 0; }
  /// A message for the user that is not an error, in one line; "" if there is none.
  virtual std::string note() const { return ""; }
  /// The erasure patterns, for `--verbose`.
  virtual std::vector<Positions> erased() const { return {}; }
  /// The decode plans that the operations use, in the order of operations; empty if they use none.
  virtual std::vector<PlanRequest> plan_requests() const { return {}; }
  /// The bytes that each operation must read and write, in the order of operations, for the memory limit. Empty if there is no
  /// limit.
  virtual std::vector<Transfer> transfers() const { return {}; }
  /// The chunks and sub-chunks that a repair reads, one entry for each lost chunk; empty if the workload is not a repair.
  virtual std::vector<ReadSet> reads() const { return {}; }
};

/// Which chunks a workload loses.
enum class Losses {
  none,
  one,  ///< each chunk in turn; it is repaired from what the code requests (minimum_to_decode()), which may be parts of
        ///< chunks
  any,  ///< patterns of point.erasures chunks
};

/// Properties of a workload that are known before it is made.
struct WorkloadDescriptor {
  const char* name = "";
  Losses losses = Losses::none;
  bool overwrites = false;                ///< overwrites point.changed_chunks data chunks
  bool recomputes_coding = false;         ///< computes the coding chunks again, into separate memory
  bool is_reference_loop = false;         ///< only copies or XORs bytes, for comparison; calls no erasure code, has no memory limit
  bool is_in_ceph = false;                ///< Ceph's tool has it, so it can be timed as in Ceph (Timing::api)
  std::size_t objects_per_iteration = 1;  ///< the number of objects of a run is a multiple of this number
  std::unique_ptr<Workload> (*make)(const Point& point, const EncodedObject& object) = nullptr;

  bool loses_chunks() const { return losses != Losses::none; }
};

/// The memory that the objects of a workload need in addition to their chunks.
Extras extras_of(const WorkloadDescriptor& workload, const Point& point);

/// The names of all workloads.
std::vector<std::string> workload_names();

/// Throws Error if no workload has that name.
const WorkloadDescriptor& workload_named(const std::string& name);

/// Makes the workload of `point` and checks it on `object`. If the workload loses one chunk and the code repairs from parts,
/// `object` must have the helper parts of lost_chunks(). Throws Error for an unknown name or an unsupported operation; wrong_bytes
/// if a check fails.
std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object);

// Each of these functions is defined in the file of its workload.
#define WORKLOAD(NAME, ...) std::unique_ptr<Workload> make_##NAME##_workload(const Point& point, const EncodedObject& object);
#include "benchmark/workloads/workloads.inc"
#undef WORKLOAD

}  // namespace ecbench
