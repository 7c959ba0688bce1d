// Safe use of Ceph's codes: in a child process, and by one thread at a time.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

// Runs code of Ceph in a child process. In Ceph, a failed assertion or a division by zero ends the process. If only the child
// process ends, ecbench can report an error.

/// Runs `work` in a child process, and returns the text that `work` returns. The child process prints nothing. If `work` throws a
/// std::exception, this function throws an Error with the same message. If a signal ends the child process, the function throws an
/// Error with this message: "<name> <problem>: a test process was ended by signal 6 (Aborted); <advice>". If the child process runs
/// for 60 s, SIGALRM ends it. If the child process cannot be started, the message is: "<name> could not be tested: ...".
std::string in_child(const std::string& name, const std::string& problem, const std::string& advice,
                     const std::function<std::string()>& work);

// The instances of one code of Ceph. An instance of Ceph's clay keeps buffers between calls. The buffers have the right size only
// for the chunk size of the first call. Two threads cannot use the buffers at the same time. Therefore each instance is used by
// only one thread at a time, and all its calls have the same chunk size.

class Instances {
 public:
  /// Throws the same errors as make_ceph_code().
  Instances(std::string plugin, ceph::CephProfile profile);

  struct Instance {
    std::size_t chunk_size = 0;
    std::shared_ptr<ceph::ErasureCodeInterface> code;
  };

  /// Gives an instance to one caller. No other caller can use this instance as long as the lease exists. `chunk_size` is the size
  /// of the chunks in the caller's calls, or 0 if the calls do not read or write chunks.
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
