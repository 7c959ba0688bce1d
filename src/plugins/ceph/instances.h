// The instances of one code of Ceph. Ceph's clay keeps buffers between calls, which have the size of the first call. Two threads
// cannot use them at the same time. Therefore an instance serves one thread at a time, and only one chunk size.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

class Instances {
 public:
  /// Throws Error as make_ceph_code() does.
  Instances(std::string plugin, ceph::CephProfile profile);

  struct Instance {
    std::size_t chunk_size = 0;
    std::shared_ptr<ceph::ErasureCodeInterface> code;
  };

  /// An instance for one caller as long as the lease exists. `chunk_size` is that of the calls; 0 if chunks are not touched.
  class Lease {
   public:
    Lease(Instances& owner, std::size_t chunk_size) : owner_(owner), instance_(owner.take(chunk_size)) {}
    ~Lease() { owner_.give_back(std::move(instance_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ceph::ErasureCodeInterface* operator->() const { return instance_.code.get(); }

   private:
    Instances& owner_;
    Instance instance_;
  };

 private:
  Instance take(std::size_t chunk_size);
  void give_back(Instance instance);

  std::string plugin_;
  ceph::CephProfile profile_;
  std::mutex mutex_;
  std::vector<Instance> idle_;
};

}  // namespace ecbench::ceph_plugins
