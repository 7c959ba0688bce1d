// What is checked of every contender, the plugins on libraries in other languages, which are there only where `make contenders` has
// built them.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

/// Whether `plugin` is in the folder of plugins.
bool is_built(const std::string& plugin);

/// Tests of `plugin`, which is built by `tool`; they are skipped where it is not built.
class ContenderTest : public testing::Test {
 protected:
  ContenderTest(std::string plugin, std::string tool) : plugin_(std::move(plugin)), tool_(std::move(tool)) {}

  void SetUp() override;

 private:
  std::string plugin_;
  std::string tool_;
};

/// That all losses of 1 to m chunks are rebuilt, for every k and m with k+m = chunk_count, and none refused; `technique` is
/// " technique=..." or nothing.
void check_all_losses(const std::string& plugin, const std::string& technique, int chunk_count);

/// That any one of the lost chunks is rebuilt by itself, for every loss of chunks of `code`, and no other is written.
void check_partial_wishes(const ErasureCode& code);

/// That two threads on one instance encode and decode to the right bytes, each object in chunks of its own size.
void check_two_threads(const ErasureCode& code);

/// The one line with which `plugin` refuses "k=4 m=2 ..."; fails the test if it accepts them, or has more lines to say.
std::string refusal_of(const std::string& plugin, const std::string& parameters);

}  // namespace ecbench::test
