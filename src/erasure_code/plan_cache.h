// Keeps the decode plans of recently used erasure patterns. Inverting a matrix takes 14 to 50 times as long as decoding a 4 KiB
// object. The number of plans is limited, so that a long run with many patterns does not fill the memory.

#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "erasure_code/erasure_code.h"

namespace ecbench {

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
