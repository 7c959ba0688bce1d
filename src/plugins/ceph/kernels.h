// Names of the kernels that Ceph's plugins run.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// For plugin isa: "ec_encode_data_avx2, plugin isa of Ceph 16.2.15". Other plugins do not export their kernels, so the names of
/// these kernels are unknown: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
