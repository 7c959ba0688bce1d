// A point: everything that says what one measurement is of.

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

/// What decode rebuilds of the erased chunks: all of them, as Ceph does, or the data chunks among them.
enum class Want { all, data };

/// Where the chunks are when a call begins: in the cache, because the call before worked on the same ones, or in memory, because
/// calls go round a pool of objects that is larger than the caches.
enum class CacheState { warm, cold };

/// What a call is: only the code's, on buffers and plans made before; or what Ceph does for one, allocation, padding and tables
/// included.
enum class Timing { kernel, api };

/// How long clean samples are waited for, in terms of Sampling::min_seconds, unless the user says for how long: a short measurement
/// does not wait long for a quiet machine.
inline constexpr double default_patience = 50;

/// How long a measurement samples. With point.iterations set there is one interval of that many iterations instead.
struct Sampling {
  double min_seconds = 0.2;                   ///< of timed work
  double max_seconds = 10;                    ///< where target_percent is not reached before
  double patience_seconds = 10;               ///< how long clean samples are waited for, at most max_seconds
  std::optional<double> target_percent = {};  ///< sample until the interval is that narrow: plus or minus, in percent
  int placements = 8;                         ///< how many places in memory the figure is drawn over
  double drift_floor_percent = 1.5;           ///< what runs differ by from minute to minute; the interval is widened by it
  bool measures_limit = true;                 ///< between the samples, which takes a third of the time of a short measurement
};

struct Point {
  std::string plugin;
  Profile profile;
  std::string workload;
  std::size_t size_bytes = 0;         ///< of the object
  std::size_t stripe_unit_bytes = 0;  ///< the object is encoded in stripes of k times this; 0: as one
  std::optional<std::uint8_t> fill;   ///< the object is this byte, as Ceph's; none: pseudo-random bytes
  int erasures = 0;                   ///< how many chunks are lost; encode does not use it
  Positions erased;                   ///< which chunks are lost; empty: patterns of `erasures` chunks, chosen by `generation`
  ErasureGeneration generation = ErasureGeneration::random;
  Want want = Want::all;
  std::uint64_t iterations = 0;  ///< of one interval; 0: sampled, as `sampling` says
  Sampling sampling;
  std::uint64_t seed = 0;  ///< of the object's bytes and of the choice of patterns
  CacheState cache = CacheState::warm;
  Timing timing = Timing::kernel;
  int threads = 1;        ///< each works on objects of its own
  std::vector<int> cpus;  ///< thread i runs on the i-th, going round; empty: wherever the kernel puts it
  std::string dispatch = "native";
  std::string codec_lib;  ///< folder whose codec libraries are used in place of the system's; "": none
};

}  // namespace ecbench
