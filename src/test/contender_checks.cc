#include "test/contender_checks.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/directories.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

/// Encodes an object of `size` bytes, and decodes every loss of up to two chunks. Does this five times. Adds the number of rebuilt
/// chunks with wrong bytes to `wrong`.
void work(const ErasureCode& code, std::size_t size, std::atomic<int>& wrong) {
  const std::vector<std::uint8_t> object = random_object(size);
  const ChunkSet truth = encoded(code, object);
  for (int round = 0; round < 5; round++) {
    ChunkSet chunks = encoded(code, object);
    for (const Positions& erased : erasure_patterns(code.chunk_count(), std::min(2, code.coding_chunk_count()))) {
      for (const int position : erased) std::ranges::fill(chunks[position], std::uint8_t{0});
      code.decode(*code.plan(erased, erased), chunks.pointers(), chunks.chunk_size());
      for (const int position : erased) wrong += !std::ranges::equal(chunks[position], truth[position]);
    }
  }
}

}  // namespace

bool is_built(const std::string& plugin) { return std::filesystem::exists(plugin_directory() / ("libec_" + plugin + ".so")); }

void ContenderTest::SetUp() {
  if (!is_built(plugin_)) {
    GTEST_SKIP() << "plugin " << plugin_ << " is not built; to build it, install " << tool_ << " and run 'make contenders'";
  }
}

void check_all_losses(const std::string& plugin, const std::string& technique, int chunk_count) {
  for (int m = 1; m < chunk_count; m++) {
    const std::string parameters = "k=" + std::to_string(chunk_count - m) + " m=" + std::to_string(m) + technique;
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code(plugin, parameters), 1000), std::vector<Positions>()) << "refused";
  }
}

void check_partial_wishes(const ErasureCode& code) {
  const ChunkSet truth = encoded(code, random_object(4000));
  for (const Positions& erased : erasure_patterns(code.chunk_count(), code.coding_chunk_count())) {
    for (const int wanted : erased) check_decode(code, truth, erased, {wanted});
  }
}

void check_two_threads(const ErasureCode& code) {
  std::atomic<int> wrong = 0;
  std::thread other([&] { work(code, 51'000, wrong); });
  work(code, 20'000, wrong);
  other.join();
  EXPECT_EQ(wrong, 0);
}

std::string refusal_of(const std::string& plugin, const std::string& parameters) {
  SCOPED_TRACE(plugin + " " + parameters);
  const Error error = thrown_by([&] { make_code(plugin, parameters); });
  EXPECT_EQ(error.kind(), Error::Kind::bad_input);
  return error.what();
}

}  // namespace ecbench::test
