// Tests Limits::threads, the number of threads that will call an erasure code at the same time. A plugin that contains the runtime
// of another language gets this number when it makes the erasure code. A plugin without such a runtime ignores the number.

#include <gtest/gtest.h>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/registry.h"
#include "test/directories.h"

namespace ecbench {
namespace {

class Threads : public testing::Test {
 protected:
  std::string kernel(const Limits& limits) {
    Profile profile;
    return info_of(*registry_.make("runtime", profile, limits)).kernel();
  }

  Registry registry_{faulty_plugin_directory(), [](const std::string&) {}};
};

TEST_F(Threads, AreOneByDefault) {
  EXPECT_EQ(kernel({}), "made for 1 threads");
}

TEST_F(Threads, AreGivenToEachCode) {
  EXPECT_EQ(kernel({.threads = 3}), "made for 3 threads");
  EXPECT_EQ(kernel({.threads = 5}), "made for 5 threads");
  EXPECT_EQ(registry_.plugin_with_runtime(), "runtime");
}

TEST_F(Threads, AreIgnoredWithoutARuntime) {
  Registry plain(plugin_directory(), [](const std::string&) {});
  Profile profile({{"k", "4"}, {"m", "2"}});
  EXPECT_EQ(plain.make("isa", profile, {.threads = 2})->chunk_count(), 6);
  EXPECT_EQ(plain.plugin_with_runtime(), "");
}

}  // namespace
}  // namespace ecbench
