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

/// Chunk numbers instead of positions, for codes that rebuild all lost chunks from the k available chunks with the lowest numbers.
struct ErasurePattern {
  std::vector<int> erased;          ///< n flags: erased[i] is 1 if chunk i is lost
  std::vector<int> survivors;       ///< the k available chunks with the lowest numbers
  std::vector<int> lost_data;       ///< lost data chunks
  std::vector<int> rebuilt_data;    ///< lost data chunks that are wanted
  std::vector<int> rebuilt_coding;  ///< lost coding chunks that are wanted
  Positions reads;                  ///< positions of the survivors in ascending order, for DecodePlan::reads
};

/// `erased` and `rebuilt` are as in ErasureCode::make_plan().
ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The positions of the survivors, then of the rebuilt data chunks, then of the rebuilt coding chunks.
std::vector<int> participants(const ErasureCode& code, const ErasurePattern& pattern);

/// The decode plans of recently used erasure patterns: inverting a matrix takes 14 to 50 times as long as decoding a 4 KiB object.
class PlanCache {
 public:
  /// The erasure patterns of 16 chunks with one to four lost. Ceph's table cache for isa has the same limit.
  static constexpr std::size_t capacity = 2516;

  using Key = std::pair<Positions, Positions>;  ///< the erased chunks and the rebuilt chunks

  /// Null if there is none. The plan becomes the most recently used one.
  std::shared_ptr<const DecodePlan> find(const Key& key);
  /// Above `capacity`, removes the least recently used plan.
  void insert(const Key& key, std::shared_ptr<const DecodePlan> plan);
  std::size_t size() const;

 private:
  using Entry = std::pair<Key, std::shared_ptr<const DecodePlan>>;

  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // sorted; the most recently used entry is the first
  std::map<Key, std::list<Entry>::iterator> by_key_;
};

}  // namespace ecbench
