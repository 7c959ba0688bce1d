// Checks for contenders. Each contender is a plugin for a library in another language. Only `make contenders` builds these plugins.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

/// Whether `plugin` is in the plugin directory.
bool is_built(const std::string& plugin);

/// Tests of `plugin`. The plugin is built with `tool`. The tests are skipped if the plugin is not built.
class ContenderTest : public testing::Test {
 protected:
  ContenderTest(std::string plugin, std::string tool) : plugin_(std::move(plugin)), tool_(std::move(tool)) {}

  void SetUp() override;

 private:
  std::string plugin_;
  std::string tool_;
};

/// Checks that all losses of 1 to m chunks are rebuilt, for every k and m with k+m = chunk_count. `technique` is " technique=..."
/// or empty.
void check_all_losses(const std::string& plugin, const std::string& technique, int chunk_count);

/// For every loss of chunks of `code`, checks that each lost chunk can be rebuilt without the others, and that no other chunk is
/// written.
void check_partial_wishes(const ErasureCode& code);

/// Checks that two threads can use one instance at the same time with different chunk sizes, and that both encode and decode
/// correctly.
void check_two_threads(const ErasureCode& code);

/// The message with which `plugin` refuses the parameters "k=4 m=2 ...". Fails the test if the plugin accepts the parameters, or if
/// the message has several lines.
std::string refusal_of(const std::string& plugin, const std::string& parameters);

}  // namespace ecbench::test
