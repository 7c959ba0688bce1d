// Checks of one erasure code, for the tests of this project and for plugins of other projects (plugin_check.cc).

#pragma once

#include "test/coded_object.h"

namespace ecbench::test {

/// Checks the coding chunks after parity deltas, for all sets of up to `most` changed data chunks. The code must have a parity
/// delta.
void check_parity_delta(const ErasureCode& code, int most);

/// Two threads use `code` at the same time: they encode, decode every loss of up to `most` chunks, and repair.
void check_two_threads(const ErasureCode& code, int most);

}  // namespace ecbench::test
