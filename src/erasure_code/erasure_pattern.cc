#include "erasure_code/erasure_pattern.h"

#include <algorithm>

#include "erasure_code/index.h"

namespace ecbench {

ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt) {
  const int k = code.data_chunk_count();
  // With --timing api, a code of plugin jerasure computes a pattern in every decode call (BenchmarkInfo::keeps_plans_in_ceph()).
  // The calls of reserve() keep the number of memory allocations small.
  ErasurePattern pattern;
  pattern.erased.reserve(index(code.chunk_count()));
  pattern.survivors.reserve(index(k));
  pattern.lost_data.reserve(erased.size());
  pattern.rebuilt_data.reserve(rebuilt.size());
  for (int chunk = 0; chunk < code.chunk_count(); chunk++) {
    const bool is_data = chunk < k;
    const bool is_erased = std::ranges::binary_search(erased, code.position(ChunkNumber{chunk}));
    pattern.erased.push_back(is_erased);
    if (!is_erased) {
      if (static_cast<int>(pattern.survivors.size()) < k) pattern.survivors.push_back(chunk);
      continue;
    }
    if (is_data) pattern.lost_data.push_back(chunk);
    if (std::ranges::binary_search(rebuilt, code.position(ChunkNumber{chunk}))) {
      (is_data ? pattern.rebuilt_data : pattern.rebuilt_coding).push_back(chunk);
    }
  }
  pattern.reads.reserve(index(k));
  for (const int chunk : pattern.survivors) pattern.reads.push_back(code.position(ChunkNumber{chunk}));
  std::ranges::sort(pattern.reads);
  return pattern;
}

std::vector<int> participants(const ErasureCode& code, const ErasurePattern& pattern) {
  std::vector<int> positions;
  for (const std::vector<int>* chunks : {&pattern.survivors, &pattern.rebuilt_data, &pattern.rebuilt_coding}) {
    for (const int chunk : *chunks) positions.push_back(code.position(ChunkNumber{chunk}));
  }
  return positions;
}

}  // namespace ecbench
