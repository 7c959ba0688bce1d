#include "plugins/ceph/kernels.h"

#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {

std::string kernel_of(const std::string& plugin) {
  return "plugin " + plugin + " of Ceph " + release();
}

}  // namespace ecbench::ceph_plugins
