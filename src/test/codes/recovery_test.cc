#include <gtest/gtest.h>

#include "erasure_code/error.h"
#include "test/code_checks.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

constexpr std::size_t recovery_object_size = 2111;

/// For each of `others`, `common` and these parameters are those of a code.
void expect_all_recovered(const std::string& plugin, const std::string& common, const std::vector<std::string>& others = {""}) {
  for (const std::string& other : others) {
    SCOPED_TRACE(plugin + " " + common + other);
    EXPECT_EQ(check_all_erasures(*make_code(plugin, common + other), recovery_object_size), std::vector<Positions>());
  }
}

TEST(Recovery, ReedSolVan) {
  expect_all_recovered("jerasure", "technique=reed_sol_van ",
                       {"k=2 m=1", "k=3 m=2", "k=7 m=3", "k=4 m=4", "k=2 m=5", "k=12 m=4", "k=4 m=3 w=16", "k=6 m=4 w=16",
                        "k=5 m=3 w=32", "k=7 m=3 jerasure-per-chunk-alignment=true",
                        "k=3 m=2 w=32 jerasure-per-chunk-alignment=yes", "k=3 m=2 mapping=_D_DD", "k=4 m=3 w=16 mapping=__D_DDD"});
}

TEST(Recovery, ReedSolR6Op) {
  for (const std::string w : {"w=8 ", "w=16 ", "w=32 "}) {
    expect_all_recovered("jerasure", "technique=reed_sol_r6_op " + w, {"k=2", "k=3", "k=7", "k=20", "k=4 mapping=D_DD_D"});
  }
}

TEST(Recovery, ReedSolHasAsManyChunksAsTheFieldHasElements) {
  for (const char* parameters : {"technique=reed_sol_van k=255 m=1", "technique=reed_sol_van k=254 m=2",
                                 "technique=reed_sol_r6_op k=254", "technique=reed_sol_van k=2 m=254"}) {
    SCOPED_TRACE(parameters);
    const std::unique_ptr<ErasureCode> code = make_code("jerasure", parameters);
    const ChunkSet truth = encoded(*code, random_object(60000));
    std::vector<Positions> some;
    for (int lost = 0; lost < code->chunk_count(); lost += 15) some.push_back({lost});
    if (code->coding_chunk_count() > 1) some.insert(some.end(), {{0, 1}, {0, 253}, {0, 255}, {252, 253}, {253, 254}, {254, 255}});
    if (code->coding_chunk_count() == 254) {
      const Positions all = all_positions(*code);
      some.insert(some.end(), {{all.begin(), all.end() - 2}, {all.begin() + 2, all.end()}});
    }
    for (const Positions& erased : some) check_decode(*code, truth, erased, all_positions(*code));
  }
}

TEST(Recovery, CauchyWords) {
  for (int w = 2; w <= 32; w++) {
    for (const std::string technique : {"cauchy_orig", "cauchy_good"}) {
      const std::string common = "technique=" + technique + " packetsize=8 w=" + std::to_string(w);
      expect_all_recovered("jerasure", common, {" k=2 m=1", " k=2 m=2"});
      if (w >= 3) expect_all_recovered("jerasure", common, {" k=6 m=2", " k=5 m=3", " k=3 m=4"});
    }
  }
}

TEST(Recovery, CauchyWithAnyPacketSizeAlignedChunksAndMappings) {
  for (const std::string technique : {"technique=cauchy_orig", "technique=cauchy_good"}) {
    for (const int packet_size : {1, 2, 3, 4, 5, 12, 15, 17, 20, 33, 100, 2048}) {
      expect_all_recovered("jerasure", technique + " packetsize=" + std::to_string(packet_size), {" k=4 m=2", " k=3 m=3 w=7"});
    }
    expect_all_recovered(
        "jerasure", technique,
        {" k=6 m=3 packetsize=32 jerasure-per-chunk-alignment=true", " k=4 m=3 packetsize=8 w=6 jerasure-per-chunk-alignment=true",
         " k=4 m=3 packetsize=8 mapping=_DD_D_D", " k=10 m=4 packetsize=8"});
  }
}

TEST(Recovery, LiberationAndBlaumRothWithAPrime) {
  for (const int w : {3, 5, 7, 11, 13, 17}) {
    for (int k = 2; k <= w; k++) {
      const std::string rest = " k=" + std::to_string(k) + " w=";
      expect_all_recovered("jerasure", "technique=liberation packetsize=4" + rest + std::to_string(w));
      if (w == 3 || w == 17 || k == w) continue;  // blaum_roth with w-1
      expect_all_recovered("jerasure", "technique=blaum_roth packetsize=12" + rest + std::to_string(w - 1));
    }
  }
  expect_all_recovered("jerasure", "technique=liberation k=4 packetsize=20 mapping=D_DD_D");
  expect_all_recovered("jerasure", "technique=liberation k=3 w=257 packetsize=4");
}

TEST(Recovery, BlaumRothWithCephsDefaultOfSevenRefusesWhatItCannotRecover) {
  const std::vector<Positions> of_three = {{0, 2}}, of_six = {{0, 2}, {0, 4}, {1, 4}, {1, 5}, {2, 4}, {2, 5}};
  for (const std::string plugin : {"jerasure", "simd"}) {
    if (!is_built(plugin)) continue;
    SCOPED_TRACE(plugin);
    const auto refused = [&](int k) {
      const auto code = make_code(plugin, "technique=blaum_roth packetsize=8 k=" + std::to_string(k));
      return check_all_erasures(*code, recovery_object_size);
    };
    EXPECT_EQ(refused(2), std::vector<Positions>());
    EXPECT_EQ(refused(3), of_three);
    EXPECT_EQ(refused(4), of_three);
    EXPECT_EQ(refused(5), std::vector<Positions>({{0, 2}, {0, 4}, {1, 4}, {2, 4}}));
    EXPECT_EQ(refused(6), of_six);
    std::vector<Positions> of_seven = refused(7);
    EXPECT_EQ(of_seven.size(), 9u);
    std::erase_if(of_seven, [](const Positions& pair) { return pair[1] == 6; });
    EXPECT_EQ(of_seven, of_six);
  }
}

TEST(Recovery, Liber8tion) {
  for (int k = 2; k <= 8; k++) {
    expect_all_recovered("jerasure", "technique=liber8tion k=" + std::to_string(k),
                         {" packetsize=3", " packetsize=4", " packetsize=64"});
  }
}

TEST(Recovery, IsaReedSolVan) {
  expect_all_recovered(
      "isa", "",
      {"k=2 m=1", "k=9 m=1", "k=3 m=2", "k=7 m=3", "k=32 m=2", "k=32 m=3", "k=8 m=4", "k=21 m=4", "k=4 m=3 mapping=__D_DDD"});
}

TEST(Recovery, IsaCauchyAndReplication) {
  expect_all_recovered(
      "isa", "technique=cauchy ",
      {"k=2 m=1", "k=40 m=1", "k=2 m=2", "k=5 m=5", "k=7 m=5", "k=9 m=6", "k=3 m=8", "k=40 m=2", "k=4 m=3 mapping=D__D_DD"});
  expect_all_recovered("replication", "size=", {"2", "3", "4", "12"});
}

TEST(Recovery, IsaCauchyWithManyChunks) {
  for (const char* parameters : {"k=224 m=32", "k=255 m=1", "k=254 m=2"}) {
    SCOPED_TRACE(parameters);
    const std::unique_ptr<ErasureCode> code = make_code("isa", std::string("technique=cauchy ") + parameters);
    const ChunkSet truth = encoded(*code, random_object(60000));
    const auto m = static_cast<std::size_t>(code->coding_chunk_count());
    for (std::size_t first = 0; first + m <= 256; first += 16) {
      Positions erased = all_positions(*code);
      erased = {erased.begin() + static_cast<long>(first), erased.begin() + static_cast<long>(first + m)};
      check_decode(*code, truth, erased, all_positions(*code));
    }
  }
}

TEST(Recovery, MoreThanMLossesAreRefused) {
  each_technique([](const Profiled&, const ErasureCode& code) {
    if (code.chunk_count() > 10) return;
    for (const Positions& erased : erasure_patterns(code.chunk_count(), code.chunk_count())) {
      if (static_cast<int>(erased.size()) <= code.coding_chunk_count()) continue;
      EXPECT_EQ(kind_of([&] { code.plan(erased, erased); }), Error::Kind::unrecoverable) << testing::PrintToString(erased);
    }
  });
}

TEST(Recovery, OnlyOneOfSeveralLostChunksCanBeWanted) {
  for (const Profiled& profiled :
       {Profiled("jerasure", "technique=reed_sol_van k=5 m=3"), Profiled("jerasure", "technique=reed_sol_r6_op k=5"),
        Profiled("jerasure", "technique=cauchy_good k=5 m=3 packetsize=8"),
        Profiled("jerasure", "technique=liber8tion k=5 packetsize=8"), Profiled("isa", "k=5 m=3"),
        Profiled("isa", "technique=cauchy k=5 m=3 mapping=DD_D_DD_"), Profiled("replication", "size=4"),
        Profiled("shec", "k=5 m=3 c=3"), Profiled("lrc", R"(mapping=_D_DDD layers=[["cDcDDD","plugin=isa"]])"),
        Profiled("clay", "k=4 m=2 d=5"), Profiled("clay", "k=3 m=3 d=4 scalar_mds=isa")}) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    check_partial_wishes(*make_code(profiled.plugin, profiled.parameters));
  }
}

}  // namespace
}  // namespace ecbench::test
