// Names of the kernels that Ceph's plugins run.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// "ec_encode_data_avx2, plugin isa of Ceph 16.2.15". The name of a kernel is known only if the plugin exports it. Only isa does.
/// For other plugins: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
