// The names of the kernels that Ceph's plugins use.

#pragma once

#include <string>

namespace ecbench::ceph_plugins {

/// The kernel of Ceph's plugin `plugin`, as a text for users. For plugin isa: "ec_encode_data_avx2, plugin isa of Ceph 16.2.15".
/// Other plugins do not export their kernels, so the text contains no name of a kernel: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
