// Checks for every contender, which is a plugin for a library in another language. Only `make contenders` builds these plugins.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

/// Whether `plugin` is in the plugin directory.
bool is_built(const std::string& plugin);

/// Tests of `plugin`, which `tool` builds. They are skipped if it is not built.
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

/// For every loss of chunks of `code`, checks that each lost chunk can be rebuilt by itself, and that no other is written.
void check_partial_wishes(const ErasureCode& code);

/// Checks that two threads encode and decode correctly on one instance, with different chunk sizes.
void check_two_threads(const ErasureCode& code);

/// The message with which `plugin` refuses "k=4 m=2 ...". Fails the test if the plugin accepts it, or if the message has several
/// lines.
std::string refusal_of(const std::string& plugin, const std::string& parameters);

}  // namespace ecbench::test
