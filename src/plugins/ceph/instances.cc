#include "plugins/ceph/instances.h"

#include <algorithm>
#include <utility>

#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {

Instances::Instances(std::string plugin, ceph::CephProfile profile) : plugin_(std::move(plugin)), profile_(std::move(profile)) {
  idle_.push_back({0, make_ceph_code(plugin_, profile_)});
}

Instances::Instance Instances::take(std::size_t chunk_size) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(idle_, chunk_size, &Instance::chunk_size);
    if (found != idle_.end()) {
      Instance instance = std::move(*found);
      *found = std::move(idle_.back());
      idle_.pop_back();
      return instance;
    }
  }
  return {chunk_size, make_ceph_code(plugin_, profile_)};
}

void Instances::give_back(Instance instance) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(instance));
}

}  // namespace ecbench::ceph_plugins
