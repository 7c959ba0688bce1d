// What measuring a point gave.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "benchmark/point.h"

namespace ecbench {

struct Measurement {
  Point point;  ///< its profile is the one that was measured, completed by defaults
  int data_chunk_count = 0;
  int chunk_count = 0;
  std::size_t chunk_size_bytes = 0;
  std::uint64_t patterns = 0;       ///< erasure patterns that one round visits; 0 for encode
  std::uint64_t unrecoverable = 0;  ///< patterns that were left out because the code cannot recover them
  std::uint64_t operations = 0;     ///< calls of the code that were timed
  double seconds = 0;               ///< of wall clock that they took together

  /// 10^9 bytes of object per second, padding not counted.
  double gb_per_s() const {
    return static_cast<double>(operations) * static_cast<double>(point.size_bytes) / std::max(seconds, 1e-9) / 1e9;
  }
  /// Ceph's count: whole KiB of the object for each iteration, however many patterns an iteration visits.
  std::uint64_t kb() const { return point.iterations * (point.size_bytes / 1024); }
};

}  // namespace ecbench
