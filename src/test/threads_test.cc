// A plugin with its own runtime gets the number of threads that will run codes before it makes the first code.

#include <gtest/gtest.h>

#include "erasure_code/registry.h"
#include "test/directories.h"

namespace ecbench {
namespace {

class Threads : public testing::Test {
 protected:
  std::string kernel() {
    Profile profile;
    return registry_.make("runtime", profile)->kernel();
  }

  Registry registry_{faulty_plugin_directory(), [](const std::string&) {}};
};

TEST_F(Threads, AreOneUnlessItIsSaid) {
  EXPECT_EQ(kernel(), "made for 1 threads");
}

TEST_F(Threads, AreToldBeforeTheFirstCodeIsMade) {
  registry_.set_threads(3);
  EXPECT_EQ(kernel(), "made for 3 threads");
}

TEST_F(Threads, AreToldAPluginThatIsLoadedToo) {
  registry_.load("runtime");
  registry_.set_threads(5);
  EXPECT_EQ(kernel(), "made for 5 threads");
  EXPECT_EQ(registry_.plugin_with_runtime(), "runtime");
}

TEST_F(Threads, ArePassedOverWhereThereIsNoRuntime) {
  Registry plain(plugin_directory(), [](const std::string&) {});
  plain.set_threads(2);
  Profile profile({{"k", "4"}, {"m", "2"}});
  EXPECT_EQ(plain.make("isa", profile)->chunk_count(), 6);
  EXPECT_EQ(plain.plugin_with_runtime(), "");
}

}  // namespace
}  // namespace ecbench
