// The Ceph that is installed on this system: its release, the directory of its plugins, and the codes of these plugins, which are
// used in a child process and by one thread at a time where necessary.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

/// The release, e.g. "16.2.15".
std::string release();

bool is_release_20();

/// The directory with Ceph's plugins.
std::string plugin_directory();

/// Throws Error if the plugin does not exist, ecbench does not support its release, or Ceph refuses the profile (with Ceph's
/// reason). With some profiles, Ceph ends the process instead.
std::shared_ptr<ceph::ErasureCodeInterface> make_ceph_code(const std::string& plugin, const ceph::CephProfile& profile);

/// Returns the text for an error number. Example: "Numerical argument out of domain" for -33 (-EDOM).
std::string error_text(int negative_errno);

/// "ec_encode_data_avx2, plugin isa of Ceph 16.2.15". Other plugins do not export their kernels: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

/// The result of `work` in a child process, because a failed assertion or a division by zero in Ceph ends the process. The child
/// prints nothing. Throws Error with the message of a std::exception, or "<name> <problem>: a test process was ended by signal 6
/// (Aborted); <advice>", also after 60 s (SIGALRM); "<name> could not be tested: ..." if it cannot be started.
std::string in_child(const std::string& name, const std::string& problem, const std::string& advice,
                     const std::function<std::string()>& work);

/// The instances of a code of Ceph. Each is used by one thread at a time, with the same chunk size in all calls: an instance of
/// Ceph's clay keeps buffers for the chunk size of the first call.
class Instances {
 public:
  /// Throws the same errors as make_ceph_code().
  Instances(std::string plugin, ceph::CephProfile profile);

  struct Instance {
    std::size_t chunk_size = 0;
    std::shared_ptr<ceph::ErasureCodeInterface> code;
  };

  /// No other caller can use the instance as long as the lease exists. `chunk_size`: 0 if the calls do not read or write chunks.
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

/// An ErasureCode that calls Ceph's plugin. A child process tests the code first, because Ceph's plugins crash with some profiles:
/// it encodes an object, and decodes each loss of one chunk and, with two coding chunks, of two adjacent ones. Throws Error if Ceph
/// refuses the profile or crashes. If Ceph returns wrong bytes for a loss, plan() throws Error for this loss.
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const ceph::CephProfile& profile);

}  // namespace ecbench::ceph_plugins
