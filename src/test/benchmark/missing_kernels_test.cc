// Tests the note library_lacks_kernels. A row gets this note if a newer release of ISA-L has a faster kernel for the row and the
// CPU than the loaded ISA-L has. No other row may get this note.

#include "benchmark/warnings/missing_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coded_object.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

const std::vector<std::string> with_gfni{"sse2", "avx2", "gfni", "avx512f", "avx512bw", "avx512vl"};
const std::vector<std::string> with_avx512{"sse2", "avx2", "avx512f", "avx512bw", "avx512vl"};
const LibrarySymbols old_isal{"libisal.so.2.0.30", {"ec_encode_data_avx512"}};
const LibrarySymbols new_isal{"libisal.so.2.0.32",
                              {"ec_encode_data_avx512_gfni", "ec_encode_data_avx2_gfni", "ec_encode_data_avx512"}};

TEST(MissingKernels, OfAnOldLibraryAreNamedWithTheRemedy) {
  const auto note = missing_kernels(old_isal, "ec_encode_data_avx512, xor_gen_avx512", "native", with_gfni);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->code, "library_lacks_kernels");
  for (const char* word : {"libisal.so.2.0.30", "GFNI", "2.31", "fetch-isal.sh 2.32", "--codec-lib"}) {
    EXPECT_NE(note->text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(note->text.find('\n'), std::string::npos);
}

TEST(MissingKernels, AreReportedForTheBestInstructionsOfTheCpu) {
  const std::vector<std::string> without_avx512{"avx2", "gfni"};
  const auto note = missing_kernels(old_isal, "ec_encode_data_avx2", "native", without_avx512);
  ASSERT_TRUE(note);
  EXPECT_NE(note->text.find("GFNI and AVX2"), std::string::npos);
  EXPECT_TRUE(missing_kernels({"libisal.so.2", {}}, "ec_encode_data_avx2", "native", with_avx512));
}

TEST(MissingKernels, AreNotReportedIfTheyWouldNotBeUsed) {
  const std::string multiplying = "ec_encode_data_avx512";
  EXPECT_FALSE(missing_kernels(new_isal, multiplying, "native", with_gfni));
  EXPECT_FALSE(missing_kernels(old_isal, multiplying, "native", with_avx512));
  EXPECT_FALSE(missing_kernels(old_isal, multiplying, "native", {})) << "the flags of the CPU are unknown";
  EXPECT_FALSE(missing_kernels(old_isal, "xor_gen_avx512", "native", with_gfni)) << "with m=1, nothing is multiplied";
  EXPECT_FALSE(missing_kernels(old_isal, "GFNI AVX-512", "native", with_gfni)) << "the plugin does not use ISA-L";
  EXPECT_FALSE(missing_kernels(old_isal, multiplying, "avx2", with_gfni));
}

TEST(MissingKernels, AreThoseThatTheLoadedLibraryDoesNotExport) {
  const auto code = test::make_code("isa", "k=4 m=2");
  const auto isal = loaded_isal();
  ASSERT_TRUE(isal);
  EXPECT_TRUE(isal->name.starts_with("libisal.so")) << isal->name;
  const auto note = missing_kernels(*isal, info_of(*code).kernel(), "native", with_gfni);
  const bool exports_gfni = std::ranges::find(isal->functions, "ec_encode_data_avx512_gfni") != isal->functions.end();
  EXPECT_EQ(note.has_value(), !exports_gfni);
}

}  // namespace
}  // namespace ecbench
