#include "plugins/clay/repair_reads.h"

#include <algorithm>

namespace ecbench::clay {

Positions repair_helpers(const Geometry& geometry, int d, int lost) {
  const int group = geometry.y(geometry.node(lost));
  const auto is_of_group = [&](int chunk) { return geometry.y(geometry.node(chunk)) == group; };
  Positions helpers;
  for (int chunk = 0; chunk < geometry.chunk_count(); chunk++) {
    if (chunk != lost && is_of_group(chunk)) helpers.push_back(chunk);
  }
  for (int chunk = 0; static_cast<int>(helpers.size()) < d; chunk++) {
    if (!is_of_group(chunk)) helpers.push_back(chunk);
  }
  std::ranges::sort(helpers);
  return helpers;
}

std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost) {
  const int node = geometry.node(lost);
  const int length = geometry.weight(geometry.y(node));
  std::vector<SubChunkRun> runs;
  for (int first = geometry.x(node) * length; first < geometry.sub_chunk_count(); first += length * geometry.q()) {
    runs.push_back({first, length});
  }
  return runs;
}

}  // namespace ecbench::clay
