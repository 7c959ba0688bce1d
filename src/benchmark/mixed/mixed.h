// The latency of client operations while chunks are repaired or objects are scrubbed: foreground threads at scheduled times,
// background threads at a limited rate, on the same or other CPUs. Names with `repair` also mean scrubs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/mixed/background.h"
#include "benchmark/mixed/foreground.h"
#include "benchmark/mixed/jobs.h"
#include "benchmark/mixed/latency.h"
#include "benchmark/mixed/shares.h"
#include "benchmark/objects/encoded_object.h"

namespace ecbench {

struct MixedSettings {
  Shares shares{};
  /// Sum over all threads; absent: closed loop.
  std::optional<double> foreground_rate;
  Background background = Background::repair;
  std::optional<double> repair_rate;  ///< rebuilt or scrubbed bytes per second; 0: no background; absent: no limit
  int foreground_threads = 1;
  int repair_threads = 1;
  std::vector<int> foreground_cpus;  ///< foreground thread i is pinned to foreground_cpus[i % foreground_cpus.size()]
  std::vector<int> repair_cpus;      ///< repair thread i is pinned to repair_cpus[i % repair_cpus.size()]
  /// Operations are due, and throughput counts, in this window.
  double seconds = 1;
  /// Bytes of the foreground's objects, and again of the repairs' (default_pool_bytes()).
  std::size_t pool_bytes = 0;
  std::uint64_t seed = 0;  ///< seed of the random order of operations

  bool repairs() const { return !repair_rate || *repair_rate > 0; }
  std::optional<Background> running_background() const { return repairs() ? std::optional(background) : std::nullopt; }
  /// For foreground and repair threads.
  bool shares_cpus() const { return std::ranges::find_first_of(repair_cpus, foreground_cpus) != repair_cpus.end(); }
};

/// At least 64 MiB, so that the object of an operation is in memory, not in the cache.
std::size_t default_pool_bytes();

/// Results for all operations, or for one kind.
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
  std::uint64_t repaired_chunks = 0;  ///< chunks that were rebuilt or scrubbed in the window
  double repaired_bytes_per_s = 0;
  double repair_reads = 0;  ///< bytes that the background reads / bytes that it rebuilds or scrubs
  double repair_cpu_seconds = 0;
  bool overwrites_by_delta = false;
  std::optional<std::int64_t> stall_ns;  ///< time of the longest operation, if this operation was a stall; see stall_of()
  int stalled_thread = 0;
  std::size_t memory_bytes = 0;  ///< memory of the objects of all threads
};

/// In addition to `object`.
double mixed_memory_bytes(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

/// Runs a mixed measurement and checks its results.
/// - Before the timing, each operation runs once on each of its objects, and its results are checked. Then the results are poisoned
///   (filled with wrong bytes). The results of parity delta are not poisoned, because the next overwrite reads them.
/// - After the timing, the last result of each used object is checked. Then each operation runs again, as before the timing, on a
///   few of its objects.
/// Throws Error (wrong_bytes) if a check fails. Throws Error (bad_input) if settings.foreground_rate is so high that a foreground
/// thread would run more than most_foreground_operations operations, or if no operation ends in the window. Also throws the errors
/// of JobMaterial.
MixedResult measure_mixed(const EncodedObject& object, std::size_t stripe_unit, const MixedSettings& settings);

}  // namespace ecbench
