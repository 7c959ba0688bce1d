// The operation that is timed: only run(). A new workload NAME needs make_NAME_workload() in a file, and a line in workloads.inc.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/point/point.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {

/// Used in turn. Warm: one (memcpy: two). Cold: a pool larger than the cache.
using Objects = std::span<const EncodedObject* const>;

/// 0 to count-1 repeatedly, from first % count on.
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

struct Transfer {
  ReadSet reads;
  Positions writes;                 ///< whole chunks that are written
  std::optional<std::size_t> part;  ///< set if parts of helpers are read: index of the lost chunk in HelperParts::lost()
  int new_bytes = 0;                ///< number of changed chunks; their new bytes are read in addition to `reads`
};

struct PlanRequest {
  Positions erased;
  Positions wanted;
};

/// Whole chunks.
ReadSet whole_chunks(const ErasureCode& code, const Positions& positions);

class Workload {
 public:
  virtual ~Workload() = default;

  /// The number of an iteration (from `first` on) determines its objects and erasure patterns. Only this function is timed; with
  /// Timing::kernel it allocates nothing. Threads with objects of their own may call it at the same time.
  virtual void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const = 0;

  /// Replaces the results of iteration 0, unless they are also inputs, by wrong bytes, so that check_results() detects a missing
  /// write.
  virtual void poison_results(const EncodedObject& object) const = 0;

  /// Calls the code again if run() leaves no result in `object`. Throws Error (wrong_bytes).
  virtual void check_results(const EncodedObject& object) const = 0;

  /// For each of `objects`: poison_results(), at least one run, and a check of every byte; decode with every erasure pattern,
  /// overwrite from every data chunk on. Throws Error (wrong_bytes).
  virtual void prove(Objects objects) const;
  /// poison_results(), iteration 0, and a check. After the timing, this detects that run() stopped writing its results: those of an
  /// earlier call are still correct. repair does this for each lost chunk, and decode for each pattern of the first `iterations`
  /// iterations, which were timed: both may read chunks that they wrote before, so two wrong results can cancel each other.
  virtual void prove_first(const EncodedObject& object, std::uint64_t iterations) const;

  virtual std::uint64_t operations_per_iteration() const { return 1; }
  /// Used in turn; 0 without lost chunks.
  virtual std::uint64_t patterns() const { return 0; }
  virtual std::uint64_t unrecoverable() const { return 0; }
  /// For the user, in one line; or "".
  virtual std::string note() const { return ""; }
  /// The erasure patterns that `--verbose` prints.
  virtual std::vector<Positions> erased() const { return {}; }
  /// For each decode plan that the operations use, in the order of their first use.
  virtual std::vector<PlanRequest> plan_requests() const { return {}; }
  /// See BenchmarkInfo::kernel().
  virtual std::set<std::string> kernels(const BenchmarkInfo& info) const { return {info.kernel()}; }
  /// For the roofline: the bytes that each operation, in turn, must read and write; empty if the workload has none.
  virtual std::vector<Transfer> transfers() const { return {}; }
  /// The lost chunks of workload repair, in the order of the repairs.
  virtual std::vector<LostChunk> repairs() const { return {}; }
};

/// The kernels of a workload, in one text.
std::string kernels_text(const Workload& workload, const ErasureCode& code);

/// The chunks that are lost in a workload.
enum class Losses {
  none,
  one,  ///< one chunk at a time: every chunk in turn, or only the chunk in point.erased. A repair reads only the bytes that
        ///< minimum_to_decode() requests
  any,  ///< the chunks in point.erased, or several erasure patterns of point.erasures chunks
};

/// Properties of a workload that are known before it is made.
struct WorkloadDescriptor {
  const char* name = "";
  Losses losses = Losses::none;
  bool overwrites = false;                ///< the workload overwrites point.changed_chunks data chunks
  bool recomputes_coding = false;         ///< the workload computes the coding chunks again, in separate memory
  bool is_reference_loop = false;         ///< the workload copies or XORs bytes without an erasure code; it has no roofline
  bool is_in_ceph = false;                ///< Ceph's tool also has this workload, so Timing::api is possible
  std::size_t objects_per_iteration = 1;  ///< the number of objects for run() must be a multiple of this number
  std::unique_ptr<Workload> (*make)(const Point& point, const EncodedObject& object) = nullptr;

  bool loses_chunks() const { return losses != Losses::none; }
};

/// The memory that the objects of a workload need in addition to their chunks.
Extras extras_of(const WorkloadDescriptor& workload, const Point& point);

/// The lost chunks of workload repair; empty for others. Throws Error if the code can rebuild none.
std::vector<LostChunk> repaired_chunks(const ErasureCode& code, const Point& point);

std::vector<std::string> workload_names();

/// Throws Error if there is none.
const WorkloadDescriptor& workload_named(const std::string& name);

/// For decode, repair, overwrite and scrub, also runs the workload on `object` and checks the results. If the code repairs lost
/// chunks from parts of others, `object` must have been made with repaired_chunks(). Throws Error: bad_input, wrong_bytes.
std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object);

// Declares make_NAME_workload() for each workload. The file of the workload defines this function.
#define WORKLOAD(NAME, ...) std::unique_ptr<Workload> make_##NAME##_workload(const Point& point, const EncodedObject& object);
#include "benchmark/workloads/workloads.inc"
#undef WORKLOAD

}  // namespace ecbench
