// The Ceph that is installed on this system: its release, the directory of its plugins, and the codes of these plugins.

#pragma once

#include <memory>
#include <string>

#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

/// The release, e.g. "16.2.15".
std::string release();

bool is_release_20();

/// The directory with Ceph's plugins.
std::string plugin_directory();

/// Makes a code of Ceph's plugin `plugin`. Throws Error if the plugin does not exist, if ecbench does not support the plugin's
/// release, or if Ceph refuses the profile. If Ceph refuses the profile, the message contains Ceph's reason. With some profiles,
/// Ceph ends the process instead.
std::shared_ptr<ceph::ErasureCodeInterface> make_ceph_code(const std::string& plugin, const ceph::CephProfile& profile);

/// Returns the text for an error number. Example: "Numerical argument out of domain" for -33 (-EDOM).
std::string error_text(int negative_errno);

// The names of the kernels that Ceph's plugins use.

/// The kernel of Ceph's plugin `plugin`, as a text for users. For plugin isa: "ec_encode_data_avx2, plugin isa of Ceph 16.2.15".
/// Other plugins do not export their kernels, so the text contains no name of a kernel: "plugin jerasure of Ceph 16.2.15".
std::string kernel_of(const std::string& plugin);

}  // namespace ecbench::ceph_plugins
