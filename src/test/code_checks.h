// Checks of one erasure code, for the tests of this project and for plugins of other projects (plugin_check.cc).

#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "test/coded_object.h"

namespace ecbench::test {

/// Checks the coding chunks after parity deltas, for all sets of up to `most` changed data chunks. The code must have a parity
/// delta.
void check_parity_delta(const ErasureCode& code, int most);
/// For an object of about `size` bytes: the first chunk changes, or the last, or all, as a whole.
void check_large_parity_delta(const ErasureCode& code, std::size_t size);

/// Two threads use `code` at the same time, with different chunk sizes: they encode, decode every loss of up to `most` chunks, and
/// repair.
void check_two_threads(const ErasureCode& code, int most);

/// A thread encodes an object of `size` bytes, then decodes its first chunk. In each call, before up to 500 accesses to another
/// page of its chunks, it waits while a second thread does the same with other bytes: if they share memory, the bytes are wrong in
/// every run. Chunks should have at least eight pages; if they do not fill whole pages, nothing is checked.
void check_interleaved_threads(const ErasureCode& code, std::size_t size);

/// For every loss of up to m chunks, rebuilds each lost chunk separately. Checks that this chunk is correct, and that the decode
/// writes no other chunk. The code must recover all these losses.
void check_partial_wishes(const ErasureCode& code);

/// At least one code of each technique of all plugins, except those of plugin ceph. Some plugins may not be built.
const std::vector<Profiled>& every_technique();

/// Runs `check` with each of them whose plugin is built.
void each_technique(const std::function<void(const Profiled&, const ErasureCode&)>& check);

/// Whether the plugin directory contains `plugin`.
bool is_built(const std::string& plugin);

/// The base class for the tests of a plugin that only `make contenders` builds. If it is not built, its tests are skipped.
class ContenderTest : public testing::Test {
 protected:
  explicit ContenderTest(std::string plugin) : plugin_(std::move(plugin)) {}
  void SetUp() override {
    if (!is_built(plugin_)) GTEST_SKIP() << "plugin " << plugin_ << " is not built; run 'make contenders'";
  }

 private:
  std::string plugin_;
};

}  // namespace ecbench::test
