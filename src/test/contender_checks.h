// Checks for the plugins that only `make contenders` builds. Each of these plugins calls a library that is written in another
// language, or loads the plugins of an installed Ceph.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

/// Whether the plugin directory contains `plugin`.
bool is_built(const std::string& plugin);

/// The base class for the tests of `plugin`. To build the plugin, `tool` must be installed. If the plugin is not built, its tests
/// are skipped.
class ContenderTest : public testing::Test {
 protected:
  ContenderTest(std::string plugin, std::string tool) : plugin_(std::move(plugin)), tool_(std::move(tool)) {}

  void SetUp() override;

 private:
  std::string plugin_;
  std::string tool_;
};

/// For every k and m whose sum is `chunk_count`, checks that every loss of 1 to m chunks is rebuilt. `technique` is "", or a
/// parameter after a space, for example " technique=cauchy".
void check_all_losses(const std::string& plugin, const std::string& technique, int chunk_count);

/// For every loss of up to m chunks, rebuilds each lost chunk separately. Checks that this chunk is correct, and that the decode
/// writes no other chunk.
void check_partial_wishes(const ErasureCode& code);

/// Uses `code` in two threads at the same time, with different chunk sizes. Checks that both threads encode and decode correctly.
void check_two_threads(const ErasureCode& code);

/// The message with which `plugin` refuses `parameters`, for example "k=4 m=300". Fails the test if the plugin accepts the
/// parameters, or if the message has several lines.
std::string refusal_of(const std::string& plugin, const std::string& parameters);

}  // namespace ecbench::test
