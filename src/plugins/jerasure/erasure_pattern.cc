#include "plugins/jerasure/erasure_pattern.h"

#include <algorithm>

namespace ecbench::jerasure {

ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt) {
  const int k = code.data_chunk_count();
  ErasurePattern pattern;
  for (int chunk = 0; chunk < code.chunk_count(); chunk++) {
    const bool is_data = chunk < k;
    const bool is_erased = std::ranges::binary_search(erased, code.position(chunk));
    pattern.erased.push_back(is_erased);
    if (!is_erased) {
      if (static_cast<int>(pattern.survivors.size()) < k) pattern.survivors.push_back(chunk);
      continue;
    }
    if (is_data) pattern.lost_data.push_back(chunk);
    if (std::ranges::binary_search(rebuilt, code.position(chunk))) {
      (is_data ? pattern.rebuilt_data : pattern.rebuilt_coding).push_back(chunk);
    }
  }
  return pattern;
}

Positions positions_of(const ErasureCode& code, const std::vector<int>& chunks) {
  Positions positions;
  for (const int chunk : chunks) positions.push_back(code.position(chunk));
  std::ranges::sort(positions);
  return positions;
}

}  // namespace ecbench::jerasure
