// The codes of plugin simd that an additive FFT can compute: their bytes are those of klauspost, isa and jerasure.

#include <gtest/gtest.h>

#include "erasure_code/error.h"
#include "test/code_checks.h"
#include "test/conformance_data.h"
#include "test/simd/simd_point_codes.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

using simd::PointCode;

TEST(SimdPointCode, EncodesInTheSelectedWay) {
  using enum simd::TransformPolicy;
  for (const simd::Kernel* kernel : all_kernels()) {
    if (kernel == &simd::scalar_kernel()) continue;  // for 10+4, its FFT is faster than one pass for each row
    const simd::Kernel counted = counting(*kernel);
    for (const auto& [code, transform, size, way] : {std::tuple{Code{PointCode::cauchy, 32, 32}, direct, 4096, Way::multiplication},
                                                     {{PointCode::cauchy, 32, 32}, fft, 4096, Way::fft},
                                                     {{PointCode::cauchy, 32, 32}, automatic, 4096, Way::fft},
                                                     {{PointCode::cauchy, 32, 32}, automatic, 64, Way::fft},
                                                     {{PointCode::cauchy, 32, 32}, automatic, 32, Way::multiplication},
                                                     {{PointCode::cauchy, 32, 32}, fft, 32, Way::fft},
                                                     {{PointCode::leopard, 3, 2}, automatic, 64, Way::multiplication},
                                                     {{PointCode::leopard, 20, 10}, automatic, 127, Way::multiplication},
                                                     {{PointCode::leopard, 20, 10}, automatic, 128, Way::fft},
                                                     {{PointCode::vandermonde, 16, 16}, automatic, 4096, Way::fft},
                                                     {{PointCode::cauchy, 10, 4}, automatic, 4096, Way::multiplication},
                                                     {{PointCode::cauchy, 10, 4}, fft, 4096, Way::fft},
                                                     {{PointCode::vandermonde, 9, 4}, automatic, 4096, Way::multiplication}}) {
      SCOPED_TRACE(testing::Message() << kernel->name << ' ' << code << ", " << size << " bytes");
      ChunkSet chunks(code.k + code.m, static_cast<std::size_t>(size));
      const auto made = code_by(counted, code, transform);
      const auto encode = [&] {
        made->encode(data_of(code, chunks), chunks.pointers().subspan(index(code.k)), chunks.chunk_size());
      };
      EXPECT_EQ(way_of(encode), way);
    }
  }
}

/// The parameters of plugin simd for a line of klauspost.jsonl. Its chunks were computed by github.com/klauspost/reedsolomon.
Profile profile_with(const nlohmann::json& line, const std::string& transform) {
  Profile profile;
  for (const char* key : {"technique", "k", "m"}) profile.add(std::string(key) + "=" + line.at(key).get<std::string>());
  if (!transform.empty()) profile.add("transform=" + transform);
  return profile;
}

std::string hash_of_coding_chunks(const ErasureCode& code, std::size_t object_size) {
  const ChunkSet chunks = encoded(code, corpus_object(object_size));
  std::vector<std::uint8_t> all;
  for (const int position : code.coding_positions()) all.insert(all.end(), chunks[position].begin(), chunks[position].end());
  return sha256(all);
}

TEST(SimdPointCode, HasTheBytesOfKlauspost) {
  int lines = 0;
  for (const nlohmann::json& line : conformance_lines("klauspost.jsonl")) {
    for (const char* transform : {"auto", "direct", "fft"}) {
      SCOPED_TRACE(line.dump() + transform);
      const int k = std::stoi(line.at("k").get<std::string>());
      const int m = std::stoi(line.at("m").get<std::string>());
      const bool has_fft = m > 1 && (line.at("technique") == "leopard_gf8" || k % 2 == 0);
      if (!has_fft && transform == std::string("fft")) continue;
      const auto code = make_code("simd", profile_with(line, transform));
      const std::size_t size = line.at("object_size");
      EXPECT_EQ(code->chunk_size(size), line.at("chunk_size").get<std::size_t>());
      EXPECT_EQ(hash_of_coding_chunks(*code, size), line.at("coding_chunks").get<std::string>());
      lines++;
    }
  }
  EXPECT_GT(lines, 100);
}

class KlauspostLines : public ContenderTest {
 protected:
  KlauspostLines() : ContenderTest("klauspost", "go") {}
};

TEST_F(KlauspostLines, AreTheBytesOfKlauspost) {
  for (const nlohmann::json& line : conformance_lines("klauspost.jsonl")) {
    SCOPED_TRACE(line.dump());
    const auto code = make_code("klauspost", profile_with(line, ""));
    const std::size_t size = line.at("object_size");
    EXPECT_EQ(code->chunk_size(size), line.at("chunk_size").get<std::size_t>());
    EXPECT_EQ(hash_of_coding_chunks(*code, size), line.at("coding_chunks").get<std::string>());
  }
}

TEST_F(KlauspostLines, HaveTheLimitsOfSimd) {
  const auto is_made = [](const std::string& plugin, const std::string& parameters) {
    return !error_of([&] { make_code(plugin, parameters); });
  };
  for (const char* technique : {"technique=leopard_gf8", "technique=vandermonde"}) {
    for (const auto& [k, m] : {std::pair{1, 1},
                               {1, 2},
                               {128, 128},
                               {129, 127},
                               {128, 65},
                               {129, 65},
                               {192, 64},
                               {193, 63},
                               {252, 4},
                               {253, 3},
                               {254, 2},
                               {255, 1},
                               {224, 32},
                               {225, 20},
                               {1, 128},
                               {1, 129},
                               {2, 254}}) {
      const std::string parameters = std::string(technique) + " k=" + std::to_string(k) + " m=" + std::to_string(m);
      EXPECT_EQ(is_made("simd", parameters), is_made("klauspost", parameters)) << parameters;
    }
  }
}

TEST(SimdPointCode, WideCodesHaveTheBytesOfIsaAndJerasure) {
  const std::vector<std::uint8_t> object = random_object(40'000);
  for (const char* shape : {"k=2 m=2",   "k=4 m=2",   "k=6 m=4",   "k=8 m=3",    "k=8 m=4",   "k=10 m=4",  "k=12 m=4",
                            "k=16 m=4",  "k=8 m=8",   "k=16 m=8",  "k=24 m=8",   "k=40 m=8",  "k=16 m=16", "k=20 m=16",
                            "k=32 m=16", "k=48 m=20", "k=32 m=32", "k=100 m=28", "k=64 m=32", "k=224 m=32"}) {
    for (const auto& [simd, plugin, technique] :
         {std::tuple{" technique=cauchy transform=fft", "isa", " technique=cauchy"},
          {" technique=cauchy transform=auto", "isa", " technique=cauchy"},
          {" technique=reed_sol_van matrix=jerasure", "jerasure", " technique=reed_sol_van"}}) {
      SCOPED_TRACE(std::string(shape) + simd);
      const auto code = make_code(plugin, shape + std::string(technique));
      expect_same(encoded(*make_code("simd", shape + std::string(simd)), object), encoded(*code, object));
    }
  }
}

TEST(SimdPointCode, RefusesUnsupportedParameters) {
  for (const char* parameters :
       {"technique=cauchy transform=fast", "technique=cauchy k=7 m=3 transform=fft", "technique=cauchy k=8 m=1 transform=fft",
        "technique=vandermonde k=9 m=4 transform=fft", "technique=leopard_gf8 k=8 m=1 transform=fft",
        "technique=leopard_gf8 k=129 m=65", "technique=vandermonde k=200 m=57"}) {
    EXPECT_THROW(make_code("simd", parameters), Error) << parameters;
  }
}

}  // namespace
}  // namespace ecbench::test
