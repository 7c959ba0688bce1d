// An ErasureCode that calls a plugin of Ceph.

#pragma once

#include <memory>
#include <string>

#include "erasure_code/erasure_code.h"
#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

/// Makes a code of Ceph's plugin `plugin`. A child process tests the code first, because Ceph's plugins crash with some profiles.
/// The test encodes an object. Then it tests the decode for each loss of one chunk. If there are at least two coding chunks, it
/// also tests the decode for each loss of two chunks with adjacent positions. Throws Error if Ceph refuses the profile, or if Ceph
/// crashes in the test. If Ceph returns wrong bytes for a loss, the code is made, but its plan() throws Error for this loss.
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const ceph::CephProfile& profile);

}  // namespace ecbench::ceph_plugins
