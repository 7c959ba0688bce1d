// Decode plans of the erasure patterns used last. Inverting a matrix costs 14 to 50 times what decoding a 4 KiB object does, so a
// store keeps the results; the bound keeps a long run over many patterns from filling the memory.

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
  /// As many as there are patterns of up to four losses of 16 chunks: the bound of Ceph's table cache for isa.
  static constexpr std::size_t capacity = 2516;

  using Key = std::pair<Positions, Positions>;  ///< erased, rebuilt

  /// The plan kept for `key`, null if there is none. A plan that is found becomes the one used last.
  std::shared_ptr<const DecodePlan> find(const Key& key);
  /// Keeps `plan`; drops the plan that was unused longest when there are too many.
  void insert(const Key& key, std::shared_ptr<const DecodePlan> plan);
  std::size_t size() const;

 private:
  using Entry = std::pair<Key, std::shared_ptr<const DecodePlan>>;

  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the one used last in front
  std::map<Key, std::list<Entry>::iterator> by_key_;
};

}  // namespace ecbench
