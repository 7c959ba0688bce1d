// Checks for the plugins that only `make contenders` builds. Each of these plugins runs a library in another language, or the
// plugins of an installed Ceph.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

/// Whether the plugin directory contains `plugin`.
bool is_built(const std::string& plugin);

/// The base class of the tests of `plugin`. Building this plugin requires `tool`. Skips a test if the plugin is not built.
class ContenderTest : public testing::Test {
 protected:
  ContenderTest(std::string plugin, std::string tool) : plugin_(std::move(plugin)), tool_(std::move(tool)) {}

  void SetUp() override;

 private:
  std::string plugin_;
  std::string tool_;
};

/// Checks that every loss of 1 to m chunks is rebuilt, for every k and m whose sum is `chunk_count`. `technique` is empty, or a
/// space and a parameter technique=...
void check_all_losses(const std::string& plugin, const std::string& technique, int chunk_count);

/// For every loss of up to m chunks, checks that each lost chunk can be rebuilt without rebuilding the other lost chunks, and that
/// no other chunk is written.
void check_partial_wishes(const ErasureCode& code);

/// Checks that two threads can use one instance at the same time with different chunk sizes, and that both encode and decode
/// correctly.
void check_two_threads(const ErasureCode& code);

/// The message with which `plugin` refuses `parameters`, for example "k=4 m=300". Fails the test if the plugin accepts the
/// parameters, or if the message has several lines.
std::string refusal_of(const std::string& plugin, const std::string& parameters);

}  // namespace ecbench::test
