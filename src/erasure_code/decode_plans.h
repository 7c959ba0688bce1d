// Helpers for decode plans: patterns by chunk number, and a cache.

#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

// An erasure pattern that contains chunk numbers instead of positions. Data chunks have the numbers 0 to k-1, coding chunks k to
// n-1. The pattern is for codes that rebuild all lost chunks from the k available chunks with the lowest numbers.

struct ErasurePattern {
  std::vector<int> erased;          ///< n flags: erased[i] is 1 if chunk i is lost
  std::vector<int> survivors;       ///< the k available chunks with the lowest numbers
  std::vector<int> lost_data;       ///< lost data chunks
  std::vector<int> rebuilt_data;    ///< lost data chunks that are wanted
  std::vector<int> rebuilt_coding;  ///< lost coding chunks that are wanted
  Positions reads;                  ///< positions of the survivors in ascending order, for DecodePlan::reads
};

/// The pattern for lost chunks at the positions `erased` and wanted chunks at the positions `rebuilt`. The conditions for `erased`
/// and `rebuilt` are the same as in ErasureCode::make_plan().
ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The positions of the survivors, then of the rebuilt data chunks, then of the rebuilt coding chunks.
std::vector<int> participants(const ErasureCode& code, const ErasurePattern& pattern);

// Keeps the decode plans of recently used erasure patterns. Inverting a matrix takes 14 to 50 times as long as decoding a 4 KiB
// object. The number of plans is limited, so that a long run with many patterns does not fill the memory.

class PlanCache {
 public:
  /// A code with 16 chunks has this number of erasure patterns with one to four lost chunks. Ceph's table cache for isa has the
  /// same limit.
  static constexpr std::size_t capacity = 2516;

  using Key = std::pair<Positions, Positions>;  ///< the erased chunks and the rebuilt chunks

  /// Returns the plan for `key`, or null if the cache does not contain this plan. The plan becomes the most recently used plan.
  std::shared_ptr<const DecodePlan> find(const Key& key);
  /// Adds `plan`. If the cache then contains more than `capacity` plans, removes the least recently used plan.
  void insert(const Key& key, std::shared_ptr<const DecodePlan> plan);
  std::size_t size() const;

 private:
  using Entry = std::pair<Key, std::shared_ptr<const DecodePlan>>;

  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // sorted; the most recently used entry is the first
  std::map<Key, std::list<Entry>::iterator> by_key_;
};

}  // namespace ecbench
