// An ErasureCode that calls a plugin of Ceph.

#pragma once

#include <memory>
#include <string>

#include "erasure_code/erasure_code.h"
#include "plugins/ceph/interface.h"

namespace ecbench::ceph_plugins {

/// Makes a code of Ceph's plugin `plugin`. A child process tests the code first, because Ceph's plugins crash with some profiles.
/// The test encodes an object. Then it decodes each loss of one chunk and, if there are at least two coding chunks, each loss of
/// two chunks with adjacent positions. Throws Error if Ceph refuses the profile, or if Ceph crashes in the test. If Ceph returns
/// wrong bytes after a loss, plan() of the code refuses this loss.
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const ceph::CephProfile& profile);

}  // namespace ecbench::ceph_plugins
