#include "erasure_code/erasure_pattern.h"

#include <algorithm>

namespace ecbench {

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
  for (const int chunk : pattern.survivors) pattern.reads.push_back(code.position(chunk));
  pattern.participants = pattern.reads;
  std::ranges::sort(pattern.reads);
  for (const std::vector<int>* chunks : {&pattern.rebuilt_data, &pattern.rebuilt_coding}) {
    for (const int chunk : *chunks) pattern.participants.push_back(code.position(chunk));
  }
  return pattern;
}

}  // namespace ecbench
