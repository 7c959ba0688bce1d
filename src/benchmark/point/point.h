// A point: the complete description of one measurement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"

namespace ecbench {

enum class ErasureGeneration { random, exhaustive };

/// As in Ceph, all erased chunks, or only the data chunks.
enum class Want { all, data };

/// Before a call. Warm: in the cache if they fit (the same chunks in each call). Cold: in memory (objects of a pool in turn).
enum class CacheState { warm, cold };

/// Kernel: only the call of the code. Api: also what Ceph does for each call (allocation, padding, decode plan).
enum class Timing { kernel, api };

/// Times min_seconds: the default of patience_seconds, so that short measurements do not wait long for clean samples.
inline constexpr double default_patience = 50;

/// Not used if Point::iterations is not 0.
struct Sampling {
  double min_seconds = 0.2;                   ///< shortest total time of the timed iterations
  double max_seconds = 10;                    ///< stop after this time, even if target_percent is not reached
  double patience_seconds = 10;               ///< longest time to wait for clean samples; max_seconds also ends this wait
  std::optional<double> target_percent = {};  ///< take samples until the confidence interval is at most ± this percentage
  int placements = 8;                         ///< number of placements
  double drift_floor_percent = 1.5;  ///< noise floor; widens the confidence interval at both ends, because repeated runs differ
  std::string limit_file;            ///< limits that other processes measured (limit.h); "": none
  bool measures_limit = true;        ///< also measure the roofline; a short measurement uses a third of its time for this
};

/// Operations are due at evenly spaced times. `amount`: per second in all threads together, or percent of the greatest rate.
struct Pace {
  double amount = 0;
  bool is_percent = false;
};

/// Runs while the point is measured, one thread on each of `cpus`.
struct Background {
  std::string workload;
  /// Limit in bytes as GB/s counts them; of repairs, rebuilt bytes. Absent: none.
  std::optional<std::size_t> bytes_per_s;
  std::vector<int> cpus;
};

struct Point {
  std::string plugin;
  Profile profile;
  std::string workload;
  std::size_t size_bytes = 0;         ///< size of the object
  std::size_t stripe_unit_bytes = 0;  ///< the object is encoded in stripes of k times this number of bytes; 0: as one stripe
  std::optional<std::uint8_t> fill;   ///< the value of all bytes of the object, as in Ceph's tool; absent: pseudo-random bytes
  int changed_chunks = 0;             ///< number of data chunks that an overwrite changes; 0 for other workloads
  int erasures = 0;                   ///< number of lost chunks; not used by workloads without lost chunks
  /// If empty, decode uses patterns of `erasures` chunks (`generation`), and repair each chunk in turn.
  Positions erased;
  ErasureGeneration generation = ErasureGeneration::random;
  Want want = Want::all;
  /// 0: samples. Otherwise one interval of this many iterations.
  std::uint64_t iterations = 0;
  Sampling sampling;
  std::uint64_t seed = 0;  ///< for the object's bytes and the choice of patterns
  CacheState cache = CacheState::warm;
  Timing timing = Timing::kernel;
  int threads = 1;                       ///< each thread works on its own objects
  std::vector<int> cpus;                 ///< thread i is pinned to cpus[i % cpus.size()]; empty: threads are not pinned
  std::optional<Pace> pace;              ///< absent: an operation starts when the previous one has ended
  std::optional<Background> background;  ///< absent: none
  std::string dispatch = "native";
  std::string codec_lib;  ///< directory of codec libraries to use; "": the system's libraries
};

}  // namespace ecbench
