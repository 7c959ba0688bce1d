// Names of the kernels that Ceph's plugins run.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// "ec_encode_data_avx2 of Ceph 16.2.15". Only the names that Ceph's plugin exports are known; without one, the release is named.
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
