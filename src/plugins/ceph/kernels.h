// Names of the kernels that Ceph's plugins run.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// "ec_encode_data_avx2, plugin isa of Ceph 16.2.15". Only names that the plugin exports are known, so only isa has one.
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
