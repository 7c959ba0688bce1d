// A point: everything that says what one measurement is of.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"

namespace ecbench {

enum class ErasureGeneration { random, exhaustive };

/// What decode rebuilds of the erased chunks: all of them, as Ceph does, or the data chunks among them.
enum class Want { all, data };

struct Point {
  std::string plugin;
  Profile profile;
  std::string workload;
  std::size_t size_bytes = 0;  ///< of the object
  int erasures = 0;            ///< how many chunks are lost; encode does not use it
  Positions erased;            ///< which chunks are lost; empty: patterns of `erasures` chunks, chosen by `generation`
  ErasureGeneration generation = ErasureGeneration::random;
  Want want = Want::all;
  std::uint64_t iterations = 0;
  std::uint64_t seed = 0;  ///< of the object's bytes and of the choice of patterns
};

}  // namespace ecbench
