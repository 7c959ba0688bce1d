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
  /// Operations per second of all threads; absent: each operation begins when the operation before it in the same thread has ended.
  std::optional<double> foreground_rate;
  std::optional<double> repair_rate;  ///< rebuilt bytes per second; 0: no repairs; absent: no limit
  int foreground_threads = 1;
  int repair_threads = 1;
  std::vector<int> foreground_cpus;  ///< thread i is pinned to cpus[i % cpus.size()]
  std::vector<int> repair_cpus;
  double seconds = 1;  ///< length of the window in which operations are due and throughput is counted
  /// Memory for the foreground's objects; the repairs use the same amount in addition. See default_pool_bytes().
  std::size_t pool_bytes = 0;
  std::uint64_t seed = 0;  ///< for the order of operations

  bool repairs() const { return !repair_rate || *repair_rate > 0; }
  /// True if a CPU runs both foreground and repair threads.
  bool shares_cpus() const;
};

/// Twice the size of the L3 cache, and at least 64 MiB, so that the object of each operation is in memory and not in the cache.
std::size_t default_pool_bytes();

/// The result of all foreground operations, or of those of one kind.
struct ForegroundResult {
  std::uint64_t operations = 0;          ///< operations that were due
  std::uint64_t unfinished = 0;          ///< operations that did not start in time; if not 0, the percentiles are lower bounds
  double operations_per_s = 0;           ///< operations that ended in the window
  double bytes_per_s = 0;                ///< bytes of the objects; for overwrites, only the changed bytes
  std::vector<std::int64_t> latency_ns;  ///< ascending
};

struct MixedResult {
  ForegroundResult foreground;
  std::vector<ForegroundResult> by_kind;  ///< by ForegroundKind
  double foreground_cpu_seconds = 0;
  std::uint64_t repairs = 0;  ///< repairs that ended in the window
  double repaired_bytes_per_s = 0;
  double repair_reads = 0;  ///< bytes read for each rebuilt byte
  double repair_cpu_seconds = 0;
  bool overwrites_by_delta = false;
  std::optional<std::int64_t> stall_ns;  ///< time of the longest operation, if this operation was a stall; see stall_of()
  int stalled_thread = 0;
  std::size_t memory_bytes = 0;  ///< size of all objects
};

/// The memory in bytes that the measurement takes in addition to `object`.
double mixed_memory_bytes(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

/// Runs the whole mixed measurement. Before the measurement, every operation is done and checked once on each of its objects. Then
/// the results are overwritten with wrong bytes, except the results of overwrites by parity delta, because the next overwrite reads
/// them. After the measurement, the last result on each used object is checked. Throws Error: wrong_bytes if a check fails;
/// bad_input if the rate gives a foreground thread more than most_foreground_operations; and the errors of JobMaterial.
MixedResult measure_mixed(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

}  // namespace ecbench
