// Tests the plugin rusty_erasure, which runs the Rust crate rusty_erasure.

#include <gtest/gtest.h>

#include <algorithm>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/index.h"
#include "erasure_code/registry.h"
#include "test/coded_object.h"
#include "test/contender_checks.h"
#include "test/directories.h"

namespace ecbench::test {
namespace {

class RustyErasure : public ContenderTest {
 protected:
  RustyErasure() : ContenderTest("rusty_erasure", "cargo") {}
};

TEST_F(RustyErasure, RebuildsEveryLossOfUpToNineChunks) {
  for (int n = 2; n <= 9; n++) check_all_losses("rusty_erasure", " technique=cauchy", n);
  for (const char* parameters : {"k=4 m=2", "k=6 m=3", "k=10 m=3", "k=5 m=4"}) {
    SCOPED_TRACE(parameters);
    EXPECT_EQ(check_all_erasures(*make_code("rusty_erasure", parameters), 1000), std::vector<Positions>());
  }
}

TEST_F(RustyErasure, RebuildsOnlyWantedChunks) {
  check_partial_wishes(*make_code("rusty_erasure", "k=4 m=4 technique=cauchy"));
}

TEST_F(RustyErasure, ServesTwoThreadsAtATime) {
  check_two_threads(*make_code("rusty_erasure", "k=6 m=3"));
}

TEST_F(RustyErasure, HasTheBytesOfIsa) {
  for (const std::string parameters : {"k=6 m=2", "k=6 m=3", "k=10 m=4 technique=cauchy"}) {
    SCOPED_TRACE(parameters);
    const auto isa = make_code("isa", parameters);
    const std::size_t size = index(isa->data_chunk_count()) * 640;  // both plugins have chunks of 640 bytes
    const ChunkSet expected = encoded(*isa, random_object(size));
    const ChunkSet found = encoded(*make_code("rusty_erasure", parameters), random_object(size));
    for (const int position : all_positions(*isa)) EXPECT_TRUE(std::ranges::equal(found[position], expected[position])) << position;
  }
}

TEST_F(RustyErasure, RefusesUnsupportedParameters) {
  for (const std::string parameters : {"k=30 m=5", "k=0 m=2", "k=4 m=0", "k=255 m=255", "k=200 m=56 technique=cauchy"}) {
    const std::string refusal = refusal_of("rusty_erasure", parameters);
    EXPECT_NE(refusal.find(" is not allowed: "), std::string::npos) << refusal;
  }
  const std::string unsafe = refusal_of("rusty_erasure", "k=20 m=6");
  EXPECT_NE(unsafe.find("; use technique=cauchy"), std::string::npos) << unsafe;
}

TEST_F(RustyErasure, NamesItsKernel) {
  const std::string kernel = info_of(*make_code("rusty_erasure", "k=4 m=2")).kernel();
  EXPECT_NE(kernel.find(" of rusty_erasure"), std::string::npos) << kernel;
}

}  // namespace
}  // namespace ecbench::test
