// Measures operations of clients while lost chunks are repaired. Foreground threads run operations at scheduled times. Background
// threads run repairs at a limited rate, on the same CPUs or on other CPUs. The result is the latency of the foreground.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/mixed/background.h"
#include "benchmark/mixed/foreground.h"
#include "benchmark/mixed/latency.h"
#include "benchmark/mixed/shares.h"
#include "benchmark/objects/encoded_object.h"

namespace ecbench {

struct MixedSettings {
  Shares shares{};
  /// Operations per second of all threads together. If it is absent, each operation of a thread begins when the operation before it
  /// in this thread has ended.
  std::optional<double> foreground_rate;
  std::optional<double> repair_rate;  ///< rebuilt bytes per second; 0: no repairs; absent: no limit
  int foreground_threads = 1;
  int repair_threads = 1;
  std::vector<int> foreground_cpus;  ///< foreground thread i is pinned to foreground_cpus[i % foreground_cpus.size()]
  std::vector<int> repair_cpus;      ///< repair thread i is pinned to repair_cpus[i % repair_cpus.size()]
  /// The length of the window in seconds. Operations are due in the window, and throughput is counted in the window.
  double seconds = 1;
  /// Memory for the foreground's objects, in bytes. The objects of the repairs take the same amount in addition. See
  /// default_pool_bytes().
  std::size_t pool_bytes = 0;
  std::uint64_t seed = 0;  ///< seed of the random order of operations

  bool repairs() const { return !repair_rate || *repair_rate > 0; }
  /// True if at least one CPU is used for foreground threads and also for repair threads.
  bool shares_cpus() const;
};

/// Twice the size of the L3 cache, but at least 64 MiB. With this size, the object of an operation is in memory, not in the cache.
std::size_t default_pool_bytes();

/// The result of all foreground operations, or the result of the foreground operations of one kind.
struct ForegroundResult {
  std::uint64_t operations = 0;          ///< operations that were due
  std::uint64_t unfinished = 0;          ///< operations that did not start in time; if there are any, percentiles are lower bounds
  double operations_per_s = 0;           ///< counts only operations that ended in the window
  double bytes_per_s = 0;                ///< counts the bytes of the objects; for overwrites, only the changed bytes
  std::vector<std::int64_t> latency_ns;  ///< ascending
};

struct MixedResult {
  ForegroundResult foreground;
  std::vector<ForegroundResult> by_kind;  ///< one result for each ForegroundKind; the kind is the index
  double foreground_cpu_seconds = 0;
  std::uint64_t repairs = 0;  ///< number of repairs that ended in the window
  double repaired_bytes_per_s = 0;
  double repair_reads = 0;  ///< bytes that repairs read / bytes that they rebuild
  double repair_cpu_seconds = 0;
  bool overwrites_by_delta = false;
  std::optional<std::int64_t> stall_ns;  ///< time of the longest operation, if this operation was a stall; see stall_of()
  int stalled_thread = 0;
  std::size_t memory_bytes = 0;  ///< memory of the objects of all threads
};

/// The memory in bytes that the measurement takes in addition to `object`.
double mixed_memory_bytes(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

/// Runs a mixed measurement and checks its results.
/// - Before the timing, each operation runs once on each of its objects, and its results are checked. Then the results are poisoned
///   (filled with wrong bytes). The results of parity delta are not poisoned, because the next overwrite reads them.
/// - After the timing, the last result of each used object is checked.
/// Throws Error (wrong_bytes) if a check fails. Throws Error (bad_input) if settings.foreground_rate is so high that a foreground
/// thread would run more than most_foreground_operations operations. Also throws the errors of JobMaterial.
MixedResult measure_mixed(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

}  // namespace ecbench
