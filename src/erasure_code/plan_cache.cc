#include "erasure_code/plan_cache.h"

namespace ecbench {

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
