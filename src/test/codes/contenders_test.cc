// The plugins of klauspost, rs-erasure and rusty_erasure. Their tests are skipped if the plugins are not built.

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/index.h"
#include "erasure_code/matrix.h"
#include "erasure_code/registry.h"
#include "test/coded_object.h"
#include "test/contender_checks.h"
#include "test/directories.h"
#include "test/linear_algebra.h"

namespace ecbench::test {
namespace {

// Tests the plugin klauspost, which uses the Go package github.com/klauspost/reedsolomon.

const std::vector<std::string> techniques{"vandermonde", "cauchy", "par1", "leopard_gf8", "leopard_gf16"};

class Klauspost : public ContenderTest {
 protected:
  Klauspost() : ContenderTest("klauspost", "go") {}
};

std::string profile(const std::string& technique, int k, int m) {
  return "technique=" + technique + " k=" + std::to_string(k) + " m=" + std::to_string(m);
}

/// Checks that two codes compute the same chunks for objects of several sizes. Both codes must have the same chunk size for an
/// object.
void check_same_chunks(const ErasureCode& one, const ErasureCode& other) {
  for (const std::size_t chunk_size : {64u, 128u, 192u, 1024u, 4096u, 40'000u}) {
    SCOPED_TRACE(chunk_size);
    const std::vector<std::uint8_t> object = random_object(index(one.data_chunk_count()) * chunk_size);
    ASSERT_EQ(one.chunk_size(object.size()), other.chunk_size(object.size()));
    const ChunkSet left = encoded(one, object);
    const ChunkSet right = encoded(other, object);
    for (int i = 0; i < one.chunk_count(); i++) EXPECT_TRUE(std::ranges::equal(left[i], right[i])) << "chunk " << i;
  }
}

TEST_F(Klauspost, RebuildsEveryLossOfUpToTenChunks) {
  for (const std::string technique : {"vandermonde", "cauchy", "leopard_gf8", "leopard_gf16"}) {
    for (int n = 2; n <= 10; n++) check_all_losses("klauspost", " technique=" + technique, n);
  }
}

TEST_F(Klauspost, Par1RefusesSomeLossesButNoSingleLoss) {
  int refused = 0;
  for (int n = 2; n <= 10; n++) {
    for (int m = 1; m < n; m++) {
      const auto code = make_code("klauspost", profile("par1", n - m, m));
      SCOPED_TRACE(profile("par1", n - m, m));
      for (const Positions& lost : check_all_erasures(*code, 1000)) {
        refused++;
        EXPECT_GE(lost.size(), 2u) << "a single loss is always recovered";
      }
    }
  }
  EXPECT_GT(refused, 0) << "the matrix of PAR1 has singular submatrices";
}

TEST_F(Klauspost, RebuildsObjectsOfAllSizes) {
  for (const std::string& technique : techniques) {
    SCOPED_TRACE(technique);
    const auto code = make_code("klauspost", profile(technique, 5, 3));
    for (const std::size_t size : {1u, 4u, 5u, 64u, 320u, 321u, 4095u, 4096u, 100'003u, 700'000u}) {
      SCOPED_TRACE(size);
      EXPECT_EQ(code->chunk_size(size), round_up((size + 4) / 5, 64));
      EXPECT_EQ(check_all_erasures(*code, size), std::vector<Positions>());
    }
  }
}

TEST_F(Klauspost, RebuildsOnlyWantedChunks) {
  for (const std::string technique : {"vandermonde", "cauchy", "leopard_gf8", "leopard_gf16"}) {
    SCOPED_TRACE(technique);
    check_partial_wishes(*make_code("klauspost", profile(technique, 4, 4)));
    check_partial_wishes(*make_code("klauspost", profile(technique, 2, 5)));
    check_partial_wishes(*make_code("klauspost", profile(technique, 1, 3)));
  }
}

// If chunks are large, Leopard over GF(2^8) caches the decode plan of each loss. For a later loss of more chunks, Leopard may by
// mistake use a cached plan of another loss. The plugin must prevent this (library/main.go).
TEST_F(Klauspost, RebuildsLargeChunksAfterASmallerLoss) {
  for (const std::string& technique : techniques) {
    if (technique == "par1") continue;
    for (const auto& [k, m] : {std::pair(8, 4), std::pair(5, 5), std::pair(3, 8)}) {
      SCOPED_TRACE(profile(technique, k, m));
      EXPECT_EQ(check_all_erasures(*make_code("klauspost", profile(technique, k, m)), 150'000), std::vector<Positions>());
    }
  }
}

TEST_F(Klauspost, ServesTwoThreadsAtATime) {
  for (const std::string& technique : techniques) check_two_threads(*make_code("klauspost", profile(technique, 6, 3)));
}

TEST_F(Klauspost, RunsEveryLevelOfDispatch) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  for (const std::string& level : usable_dispatch_levels(registry.load("klauspost"))) {
    for (const std::string& technique : techniques) {
      for (const auto& [k, m] : {std::pair(1, 1), std::pair(6, 2), std::pair(12, 4), std::pair(4, 12)}) {
        SCOPED_TRACE(level + " " + profile(technique, k, m));
        Profile made;
        made.set("technique", technique);
        made.set("k", std::to_string(k));
        made.set("m", std::to_string(m));
        const auto native = make_code("klauspost", profile(technique, k, m));
        const auto code = registry.make("klauspost", made, {.dispatch = level});
        check_same_chunks(*code, *native);
        EXPECT_NE(info_of(*code).kernel(), "");
        EXPECT_TRUE(level != "scalar" || info_of(*code).kernel().find("in Go") != std::string::npos) << info_of(*code).kernel();
      }
    }
  }
}

TEST_F(Klauspost, CauchyHasTheBytesOfIsa) {
  for (const auto& [k, m] : {std::pair(2, 2), std::pair(4, 2), std::pair(6, 2), std::pair(8, 4), std::pair(10, 4), std::pair(3, 7),
                             std::pair(12, 12), std::pair(20, 5), std::pair(200, 32)}) {
    SCOPED_TRACE(profile("cauchy", k, m));
    check_same_chunks(*make_code("klauspost", profile("cauchy", k, m)), *make_code("isa", profile("cauchy", k, m)));
  }
}

TEST_F(Klauspost, CauchyWithOneCodingChunkHasOtherBytesThanIsa) {
  const auto object = random_object(4000);
  const auto klauspost = make_code("klauspost", profile("cauchy", 4, 1));
  const auto isa = make_code("isa", profile("cauchy", 4, 1));
  const ChunkSet ours = encoded(*klauspost, object), theirs = encoded(*isa, object);
  const std::size_t size = std::min(ours.chunk_size(), theirs.chunk_size());
  EXPECT_FALSE(std::ranges::equal(ours[4].first(size), theirs[4].first(size)));
}

TEST_F(Klauspost, DefaultTechniqueHasTheBytesOfRsErasure) {
  if (!std::filesystem::exists(plugin_directory() / "libec_rs-erasure.so")) {
    GTEST_SKIP() << "plugin rs-erasure is not built; to build it, install cargo and run 'make contenders'";
  }
  for (const auto& [k, m] : {std::pair(1, 1), std::pair(2, 1), std::pair(4, 2), std::pair(6, 2), std::pair(8, 4), std::pair(10, 4),
                             std::pair(3, 7), std::pair(20, 5), std::pair(200, 56)}) {
    const std::string counts = "k=" + std::to_string(k) + " m=" + std::to_string(m);
    SCOPED_TRACE(counts);
    check_same_chunks(*make_code("klauspost", counts), *make_code("rs-erasure", counts));
  }
}

TEST_F(Klauspost, RefusesUnsupportedParametersWithAMessageOfOneLine) {
  for (const std::string parameters :
       {"k=0 m=2", "k=4 m=0", "k=256 m=1", "k=200 m=57", "k=x m=2", "technique=cauchy k=255 m=2", "technique=reed_sol_van k=4 m=2",
        "technique=leopard_gf8 k=200 m=33", "technique=leopard_gf8 k=65 m=129"}) {
    SCOPED_TRACE(parameters);
    refusal_of("klauspost", parameters);
  }
  EXPECT_EQ(refusal_of("klauspost", "technique=leopard_gf8 k=200 m=33"),
            "technique=leopard_gf8 k=200 m=33 is not allowed: klauspost/reedsolomon: data and parity shard combination not "
            "supported by leopard encoder");
}

TEST_F(Klauspost, DoesNotChangeSignalHandlers) {
  make_code("klauspost", "k=4 m=2");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << "signal " << signal;
  }
}

// Tests the plugin rs-erasure, which runs the Rust crate reed-solomon-erasure.

class RsErasure : public ContenderTest {
 protected:
  RsErasure() : ContenderTest("rs-erasure", "cargo") {}
};

/// Returns the product of a Vandermonde matrix and the inverse of its first k rows. Row r of the Vandermonde matrix is r^0, r^1,
/// ..., r^(k-1). The first k rows of the product are the identity matrix.
Rows systematic_vandermonde(int k, int n) {
  const GaloisField field(8);
  Matrix matrix(n, k);
  Matrix top(k, k);
  for (int row = 0; row < n; row++) {
    Element power = 1;
    for (int column = 0; column < k; column++) {
      matrix.at(row, column) = power;
      if (row < k) top.at(row, column) = power;
      power = field.multiply(power, static_cast<Element>(row));
    }
  }
  const Matrix systematic = product(field, matrix, inverse(field, top).value());
  Rows rows(index(n));
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < k; column++) rows[index(row)].push_back(systematic.at(row, column));
  }
  return rows;
}

TEST_F(RsErasure, RebuildsEveryLossOfUpToTenChunks) {
  for (int n = 2; n <= 10; n++) check_all_losses("rs-erasure", "", n);
}

TEST_F(RsErasure, RebuildsObjectsOfAllSizes) {
  const auto code = make_code("rs-erasure", "k=5 m=3");
  for (const std::size_t size : {1, 4, 5, 64, 320, 321, 4095, 4096, 100'003}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(code->chunk_size(size), round_up((size + 4) / 5, 64));
    EXPECT_EQ(check_all_erasures(*code, size), std::vector<Positions>());
  }
}

TEST_F(RsErasure, RebuildsOnlyWantedChunks) {
  check_partial_wishes(*make_code("rs-erasure", "k=4 m=4"));
  check_partial_wishes(*make_code("rs-erasure", "k=2 m=5"));
}

TEST_F(RsErasure, ServesTwoThreadsAtATime) { check_two_threads(*make_code("rs-erasure", "k=6 m=3")); }

TEST_F(RsErasure, IsTheSystematicVandermondeCode) {
  for (const auto& [k, n] : {std::pair(1, 2), std::pair(6, 8), std::pair(8, 12), std::pair(3, 10), std::pair(20, 30)}) {
    const std::string parameters = "k=" + std::to_string(k) + " m=" + std::to_string(n - k);
    EXPECT_EQ(generator(*make_code("rs-erasure", parameters), 8), systematic_vandermonde(k, n)) << parameters;
  }
}

TEST_F(RsErasure, TakesAsManyChunksAsTheFieldHasElements) {
  const auto code = make_code("rs-erasure", "k=200 m=56");
  const ChunkSet truth = encoded(*code, random_object(30'000));
  check_decode(*code, truth, {0, 99, 199, 200, 255}, all_positions(*code));
  EXPECT_TRUE(refusal_of("rs-erasure", "k=200 m=57").starts_with("k=200 m=57 is not allowed: k+m must be at most 256"));
  for (const std::string parameters : {"k=0 m=2", "k=4 m=0", "k=256 m=1", "k=-1 m=2", "k=x m=2"}) {
    EXPECT_NE(refusal_of("rs-erasure", parameters).find(" is not allowed: "), std::string::npos);
  }
}

// Tests the plugin rusty_erasure, which runs the Rust crate rusty_erasure.

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

TEST_F(RustyErasure, RebuildsOnlyWantedChunks) { check_partial_wishes(*make_code("rusty_erasure", "k=4 m=4 technique=cauchy")); }

TEST_F(RustyErasure, ServesTwoThreadsAtATime) { check_two_threads(*make_code("rusty_erasure", "k=6 m=3")); }

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

}  // namespace
}  // namespace ecbench::test
