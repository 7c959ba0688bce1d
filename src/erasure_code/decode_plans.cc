#include "erasure_code/decode_plans.h"

#include <algorithm>

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

std::shared_ptr<const DecodePlan> PlanCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void PlanCache::insert(const Key& key, std::shared_ptr<const DecodePlan> plan) {
  const std::lock_guard lock(mutex_);
  if (by_key_.count(key)) return;
  entries_.emplace_front(key, std::move(plan));
  by_key_[key] = entries_.begin();
  if (entries_.size() <= capacity) return;
  by_key_.erase(entries_.back().first);
  entries_.pop_back();
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace ecbench
