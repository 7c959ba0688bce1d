// Names of the kernels that Ceph's plugins run.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// "ec_encode_data_avx2, plugin isa of Ceph 16.2.15". Kernels have a name only if the plugin exports one, which only isa does. For
/// other plugins: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
