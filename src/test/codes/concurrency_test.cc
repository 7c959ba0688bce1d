// Codes that several threads use.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/registry.h"
#include "test/code_checks.h"
#include "test/directories.h"

namespace ecbench::test {
namespace {

// Two threads use the same instance of a code at the same time: they encode, make decode plans, and decode.
TEST(Concurrency, OneInstanceServesTwoThreads) {
  for (const auto& [plugin, parameters] : every_technique()) {
    const auto code = is_built(plugin) ? make_code(plugin, parameters) : nullptr;
    if (code == nullptr || code->chunk_count() > 20) continue;
    SCOPED_TRACE(plugin + " " + parameters);
    check_two_threads(*code, std::min(2, code->coding_chunk_count()));
  }
}

TEST(Concurrency, TwoThreadsMakeCodes) {
  std::atomic<int> wrong = 0;
  const auto make_all = [&] {
    for (const auto& [plugin, parameters] : every_technique()) {
      if (!is_built(plugin)) continue;
      const std::string k = parsed_profile(parameters).text("k");
      const auto code = make_code(plugin, parameters);
      wrong += k.empty() ? code->chunk_count() < 2 : std::to_string(code->data_chunk_count()) != k;
    }
  };
  std::thread other(make_all);
  make_all();
  other.join();
  EXPECT_EQ(wrong, 0);
}

// Tests Limits::threads, the number of threads that will call an erasure code at the same time. A plugin that contains the runtime
// of another language gets this number when it makes the erasure code. A plugin without such a runtime ignores the number.

TEST(Threads, AreGivenToEachCodeWithARuntime) {
  Registry with_runtime(faulty_plugin_directory(), [](const std::string&) {});
  for (const int threads : {1, 3, 5}) {
    Profile profile;
    const auto code = with_runtime.make("runtime", profile, {.threads = threads});
    EXPECT_EQ(info_of(*code).kernel(), "made for " + std::to_string(threads) + " threads");
  }
  EXPECT_EQ(Limits{}.threads, 1);
  EXPECT_EQ(with_runtime.plugin_with_runtime(), "runtime");
  Registry plain(plugin_directory(), [](const std::string&) {});
  Profile profile({{"k", "4"}, {"m", "2"}});
  EXPECT_EQ(plain.make("isa", profile, {.threads = 2})->chunk_count(), 6);
  EXPECT_EQ(plain.plugin_with_runtime(), "");
}

}  // namespace
}  // namespace ecbench::test
