// The losses that LRC must recover are computed by linear algebra or, if its layers do not encode each byte of a chunk separately
// (are not bytewise), by repeated passes over the layers.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <ranges>
#include <set>

#include "erasure_code/erasure_code.h"
#include "test/coded_object.h"
#include "test/linear_algebra.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

constexpr std::size_t lrc_object_size = 700;

/// The parameters of a code, and the maps of its layers.
struct Layered {
  std::string parameters;
  std::vector<std::string> maps;
};

const Layered lrc_423{"k=4 m=2 l=3", {"DDc_DDc_", "DDDc____", "____DDDc"}};
const Layered lrc_624{"k=6 m=2 l=4", {"DDDc_DDDc_", "DDDDc_____", "_____DDDDc"}};
const Layered lrc_843{"k=8 m=4 l=3",
                      {"DDc_DDc_DDc_DDc_", "DDDc____________", "____DDDc________", "________DDDc____", "____________DDDc"}};
const Layered lrc_846{"k=8 m=4 l=6", {"DDDDcc_DDDDcc_", "DDDDDDc_______", "_______DDDDDDc"}};

/// The parameters mapping= and layers=, without spaces, at which make_code() splits them.
std::string written(const std::string& mapping, const std::vector<std::pair<std::string, std::string>>& layers) {
  std::string text = "mapping=" + mapping + " layers=[";
  for (const auto& [map, profile] : layers) text += (text.back() == '[' ? "[\"" : ",[\"") + map + "\",\"" + profile + "\"]";
  return text + "]";
}

// A code from the article "Erasure Code in Ceph: costs and benefits": k=8, m=4 and l=4. Ceph's rules do not allow these values, so
// the code is made from layers. Each local group has four chunks and one local coding chunk.
const Layered lrc_844{written("DDD__DDD__DD___",
                              {{"DDDc_DDDc_DDcc_", ""}, {"DDDDc__________", ""}, {"_____DDDDc_____", ""}, {"__________DDDDc", ""}}),
                      {"DDDc_DDDc_DDcc_", "DDDDc__________", "_____DDDDc_____", "__________DDDDc"}};

std::unique_ptr<ErasureCode> make(const std::string& parameters) { return make_code("lrc", parameters); }

/// The positions at which `map` has one of the characters in `kinds` ("D", "c" or "Dc").
std::set<int> chunks_in(const std::string& map, const std::string& kinds) {
  std::set<int> chunks;
  for (std::size_t i = 0; i < map.size(); i++) {
    if (kinds.find(map[i]) != std::string::npos) chunks.insert(static_cast<int>(i));
  }
  return chunks;
}

std::set<int> both(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}

/// A layer with c coding chunks recovers its missing chunks if there are at most c. Returns whether it does.
bool recover(const std::string& map, std::set<int>& missing) {
  const std::set<int> chunks = chunks_in(map, "Dc");
  if (both(chunks, missing).size() > chunks_in(map, "c").size()) return false;
  for (const int chunk : chunks) missing.erase(chunk);
  return true;
}

/// The number of chunks that Ceph's minimum_to_decode requests: those that a pass over the layers with wanted chunks reads, if it
/// recovers all of them; otherwise all available chunks, if a pass over all layers does; otherwise -1, because Ceph refuses.
int reads_of_ceph(const Layered& layered, const Positions& erased, const Positions& wanted) {
  const std::set<int> lost(erased.begin(), erased.end());
  const std::set<int> asked(wanted.begin(), wanted.end());
  std::set<int> missing = lost;
  std::set<int> reads;
  for (const std::string& map : layered.maps | std::views::reverse) {
    const std::set<int> chunks = chunks_in(map, "Dc");
    if (both(chunks, asked).empty()) continue;
    if (both(both(chunks, missing), asked).empty()) {
      for (const int chunk : both(chunks, asked)) reads.insert(chunk);
      continue;
    }
    if (!recover(map, missing)) continue;
    for (const int chunk : chunks) {
      if (!lost.count(chunk)) reads.insert(chunk);
    }
  }
  if (both(missing, asked).empty()) return static_cast<int>(reads.size());
  missing = lost;
  for (const std::string& map : layered.maps | std::views::reverse) recover(map, missing);
  if (!both(missing, asked).empty()) return -1;
  return static_cast<int>(layered.maps.front().size() - lost.size());
}

/// Whether the chunks in `rebuilt` can be computed after the loss of the chunks in `erased`.
using Recoverable = std::function<bool(const Positions& erased, const Positions& rebuilt)>;

/// By linear algebra. All layers of the code must be bytewise.
Recoverable by_algebra(const ErasureCode& code) {
  return [&code, rows = generator(code, 8)](const Positions& erased, const Positions& rebuilt) {
    return determine(rows, without(code, erased), rebuilt, 8);
  };
}

/// The code must not read more chunks than Ceph. Returns the number of refused losses: 0 or 1.
int check_loss(const Layered& layered, const ErasureCode& code, const Recoverable& recoverable, const ChunkSet& truth,
               const Positions& erased, const Positions& wanted) {
  SCOPED_TRACE(layered.parameters + " " + testing::PrintToString(erased) + " wanted " + testing::PrintToString(wanted));
  Positions rebuilt;
  std::ranges::set_intersection(erased, wanted, std::back_inserter(rebuilt));
  if (!recoverable(erased, rebuilt)) {
    EXPECT_TRUE(is_refused(code, erased, wanted));
    return 1;
  }
  check_decode(code, truth, erased, wanted);
  const std::size_t reads = code.minimum_to_decode(rebuilt, without(code, erased)).size();
  EXPECT_LE(code.plan(erased, wanted)->reads.size(), reads);
  const int of_ceph = reads_of_ceph(layered, erased, rebuilt);
  EXPECT_TRUE(of_ceph < 0 || static_cast<int>(reads) <= of_ceph) << reads << " chunks are read; Ceph reads " << of_ceph;
  return 0;
}

/// `by_passes`: null to use linear algebra. Returns the number of refused losses.
int check_every_loss(const Layered& layered, const Recoverable& by_passes = nullptr) {
  const auto code = make(layered.parameters);
  const Recoverable recoverable = by_passes ? by_passes : by_algebra(*code);
  const ChunkSet truth = encoded(*code, random_object(by_passes ? 20'000 : lrc_object_size));
  int refused = 0;
  for (const Positions& erased : erasure_patterns(code->chunk_count(), code->coding_chunk_count())) {
    for (const Positions& wanted : {erased, data_positions(*code), Positions{erased.front()}, Positions{erased[erased.size() / 2]},
                                    Positions{erased.back()}}) {
      refused += check_loss(layered, *code, recoverable, truth, erased, wanted);
    }
  }
  return refused;
}

void check_some_losses(const Layered& layered, int count) {
  const auto code = make(layered.parameters);
  const Recoverable recoverable = by_algebra(*code);
  const ChunkSet truth = encoded(*code, random_object(lrc_object_size));
  std::mt19937 random(7);
  for (int i = 0; i < count; i++) {
    const Positions erased = some_of(all_positions(*code), index(1 + i % code->coding_chunk_count()), random);
    check_loss(layered, *code, recoverable, truth, erased, i % 2 == 0 ? erased : data_positions(*code));
  }
}

TEST(Lrc, EveryLossThatLinearAlgebraRecoversIsRecovered) {
  for (const Layered& layered : {lrc_423, lrc_624, Layered{"k=2 m=2 l=2", {"Dc_Dc_", "DDc___", "___DDc"}},
                                 Layered{"k=4 m=2 l=3 backend=isa", lrc_423.maps}}) {
    check_every_loss(layered);
  }
}

TEST(Lrc, EveryRecoverableLossOfManyChunksIsRecovered) {
  check_some_losses(lrc_843, 600);
  check_some_losses(lrc_846, 400);
  check_some_losses(lrc_844, 400);
  check_some_losses({"k=12 m=4 l=8", {"DDDDDDcc_DDDDDDcc_", "DDDDDDDDc_________", "_________DDDDDDDDc"}}, 200);
}

TEST(Lrc, OneLossReadsItsGroup) {
  for (const auto& [layered, reads] : {std::pair(lrc_423, 3u), {lrc_843, 3u}, {lrc_846, 6u}, {lrc_844, 4u}}) {
    const auto code = make(layered.parameters);
    for (const int lost : all_positions(*code)) {
      const ReadSet read = code->minimum_to_decode({lost}, without(*code, {lost}));
      EXPECT_EQ(read.size(), reads) << layered.parameters << " lost " << lost;
      for (std::size_t i = 1; i < layered.maps.size(); i++) {
        const std::set<int> group = chunks_in(layered.maps[i], "Dc");
        if (!group.count(lost)) continue;
        for (const auto& [position, runs] : read) EXPECT_TRUE(group.count(position)) << "lost " << lost << ", reads " << position;
      }
    }
  }
}

TEST(Lrc, KMAndLGiveTheSameCodeAsTheirLayers) {
  for (const Layered& layered : {lrc_423, lrc_846}) {
    std::string mapping = layered.maps.front();
    std::ranges::replace(mapping, 'c', '_');
    std::vector<std::pair<std::string, std::string>> layers;
    for (const std::string& map : layered.maps) layers.emplace_back(map, "");
    const auto short_form = make(layered.parameters);
    const auto long_form = make(written(mapping, layers));
    const auto isa = make(layered.parameters + " backend=isa");
    for (const ErasureCode* code : {long_form.get(), isa.get()}) {
      expect_same(encoded(*code, random_object(300'001)), encoded(*short_form, random_object(300'001)));
    }
  }
}

TEST(Lrc, LayersHaveTheSyntaxOfCeph) {
  const auto of = [](const std::string& layers) {
    const auto code =
        make_code("lrc", Profile({{"mapping", "__DD__DD"}, {"layers", layers}, {"k", "-1"}, {"m", "-1"}, {"l", "-1"}}));
    const ChunkSet chunks = encoded(*code, random_object(lrc_object_size));
    std::vector<std::uint8_t> bytes;
    for (const int position : all_positions(*code)) bytes.insert(bytes.end(), chunks[position].begin(), chunks[position].end());
    return bytes;
  };
  const auto expected = of(R"([["_cDD_cDD","plugin=isa technique=cauchy"],["cDDD____",""],["____cDDD",""]])");
  for (const char* layers :
       {"[ [ \"_cDD_cDD\", \"plugin=isa technique=cauchy\" ],\n  [ \"cDDD____\", \"\" ],\n  [ \"____cDDD\", \"\" ],\n ]",
        R"([["_cDD_cDD",{"plugin":"isa","technique":"cauchy","k":4}],["cDDD____",{}],["____cDDD"]])",
        R"([["_cDD_cDD","{\"plugin\":\"isa\", \"technique\":\"cauchy\",}",],["cDDD____","w=8"],["____cDDD","plugin=jerasure"]])",
        R"([["xcDD.cDD","plugin=isa technique=cauchy","", 7],["cDDDd C ","directory=/usr/lib64",{}],["____cDDD","",[1]]])",
        R"([["_cDD_cDD","technique=cauchy,plugin=isa;m=2"],["cDDD____","technique=cauchy_good packetsize=4"],["____cDDD",""]])"}) {
    EXPECT_EQ(of(layers), expected) << layers;
  }
}

/// Ceph's loop (encode_chunks in ErasureCodeLrc.cc): from the last layer back to one that contains all chunks, if there is one.
Positions never_computed(const std::vector<std::string>& maps) {
  const auto chunk_count = maps.front().size();
  std::size_t top = maps.size() - 1;
  while (top > 0 && chunks_in(maps[top], "Dc").size() < chunk_count) top--;
  std::set<int> result;
  for (std::size_t i = 0; i < top; i++) result.merge(chunks_in(maps[i], "c"));
  return {result.begin(), result.end()};
}

TEST(Lrc, NamesTheChunksThatCephNeverComputes) {
  constexpr unsigned seed = 55;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  int found = 0;
  constexpr int lists = 300;
  for (int i = 0; i < lists; i++) {
    std::vector<std::size_t> order(5 + below(5));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    std::string mapping(order.size(), '_');
    std::size_t known = 2 + below(2);
    for (std::size_t chunk = 0; chunk < known; chunk++) mapping[order[chunk]] = 'D';
    std::vector<std::string> maps;
    while (known < order.size()) {
      maps.emplace_back(order.size(), '_');
      for (std::size_t chunk = 0; chunk < known; chunk++) {
        if (maps.size() == 1 || chunk < 2 || below(3) > 0) maps.back()[order[chunk]] = 'D';
      }
      for (std::size_t count = std::min(1 + below(2), order.size() - known); count > 0; count--) maps.back()[order[known++]] = 'c';
    }
    std::vector<std::pair<std::string, std::string>> layers;
    for (const std::string& map : maps) layers.emplace_back(map, below(3) == 0 ? "technique=cauchy_orig,packetsize=4" : "");
    const std::string parameters = written(mapping, layers);
    EXPECT_EQ(never_computed_by_ceph(*make(parameters)), never_computed(maps)) << parameters;
    found += never_computed(maps).empty() ? 0 : 1;
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, lists);
  EXPECT_EQ(never_computed_by_ceph(*make("k=4 m=2 l=6")), Positions({4, 5}));
  EXPECT_EQ(never_computed_by_ceph(*make(lrc_423.parameters)), Positions());
  EXPECT_EQ(never_computed_by_ceph(*make_code("isa", "k=2 m=1")), Positions());
  // The inner code has the chunks 0, 1, 3 and 4 of the outer code. Its chunk 2 is the outer code's chunk 3.
  EXPECT_EQ(never_computed_by_ceph(*make(R"(mapping=DD___ layers=[["DDc__",""],["DD_cc",{"plugin":"lrc","k":-1,"m":-1,)"
                                         R"("mapping":"DD__","layers":"[[\"DDc_\",\"\"],[\"DDDc\",\"\"]]"}]])")),
            Positions({3}));
}

TEST(Lrc, AnyLayerMayUseAnyPlugin) {
  const std::vector<std::string> maps{"_cDD_cDD", "cDDD____", "____cDDD"};
  for (const auto& [global, local] :
       std::vector<std::pair<std::string, std::string>>{{"plugin=isa", "plugin=shec,c=1"},
                                                        {"plugin=isa,technique=cauchy", "technique=cauchy_good,packetsize=32"},
                                                        {"technique=reed_sol_r6_op", "plugin=isa"},
                                                        {"plugin=shec,c=1", "plugin=shec,c=1,backend=isa"}}) {
    check_every_loss({written("__DD__DD", {{maps[0], global}, {maps[1], local}, {maps[2], ""}}), maps});
  }
  check_every_loss({written("DD__", {{"DDc_", "plugin=example"}, {"DD_c", "plugin=isa"}}), {"DDc_", "DD_c"}});
  check_every_loss(
      {written("D__D_", {{"Dcc__", "plugin=replication,size=3"}, {"___Dc", "plugin=replication,size=2"}}), {"Dcc__", "___Dc"}});
}

/// The chunks that are still missing after repeated passes over the layers.
std::set<int> left_missing(const std::vector<std::string>& maps, const Positions& erased) {
  std::set<int> missing(erased.begin(), erased.end());
  for (std::size_t before = 0; before != missing.size();) {
    before = missing.size();
    for (const std::string& map : maps) recover(map, missing);
  }
  return missing;
}

void check_passes(const Layered& layered) {
  EXPECT_GT(check_every_loss(layered,
                             [&](const Positions& erased, const Positions& rebuilt) {
                               const std::set<int> missing = left_missing(layered.maps, erased);
                               return std::ranges::none_of(rebuilt, [&](int chunk) { return missing.contains(chunk); });
                             }),
            0);
}

// The profiles of one global layer and of its local layers. The global layer is not bytewise: it uses packets, sub-chunks, or
// symbols of 16 or 32 bits. Each layer is MDS.
TEST(Lrc, LayersThatAreNotBytewiseDecodeInRepeatedPasses) {
  for (const auto& [global, local] : {std::pair{"technique=cauchy_good,packetsize=4", "technique=cauchy_good,packetsize=8"},
                                      {"technique=reed_sol_van,w=16", "technique=reed_sol_van,w=16"},
                                      {"technique=reed_sol_van,w=32", "plugin=isa"},
                                      {"technique=liber8tion,packetsize=4", "technique=reed_sol_van"},
                                      {"plugin=clay", "technique=reed_sol_van"}}) {
    std::vector<std::pair<std::string, std::string>> layers;
    for (const std::string& map : lrc_423.maps) layers.emplace_back(map, layers.empty() ? global : local);
    check_passes({written("DD__DD__", layers), lrc_423.maps});
  }
}

// Before a layer can recover its missing chunks, another one may have to rebuild some of them.
TEST(Lrc, RepeatedPassesGoThroughChainsOfLayers) {
  const std::vector<std::string> chain{"DDDc_____", "_DDDcc___", "___DDDccc"};
  check_passes({written("DDD______", {{chain[0], "technique=reed_sol_van,w=16"},
                                      {chain[1], "technique=cauchy_orig,packetsize=4"},
                                      {chain[2], "technique=cauchy_good,packetsize=2"}}),
                chain});
}

// Both codes rebuild chunks that are not wanted. Each needs its own memory for them.
TEST(Lrc, ALayerMayBeAnLrcCode) {
  const auto code = make(R"(mapping=DD_____ layers=[["DDcc___","technique=liber8tion,packetsize=32"],["DDD_ccc",{"plugin":"lrc",)"
                         R"("k":-1,"m":-1,"mapping":"DDD___","layers":"[[\"DDDcc_\",\"technique=cauchy_orig,packetsize=8\"],)"
                         R"([\"D_DD_c\",\"technique=cauchy_orig,packetsize=8\"]]"}]])");
  check_decode(*code, encoded(*code, random_object(lrc_object_size)), {1, 2, 3, 5}, {3, 5});
}

TEST(Lrc, ChunkSizesThatALayerCannotEncodeAreRefused) {
  const auto code = make(written("DDD____", {{"DDDcc__", "w=16"}, {"DDD__cc", "technique=cauchy_orig,packetsize=12,w=3"}}));
  EXPECT_EQ(code->chunk_size(std::size_t{3} * 576), 576u);
  EXPECT_STREQ(thrown_by([&] { code->chunk_size(100); }).what(),
               "an object of 100 bytes is not allowed: layer 0 (DDDcc__) divides it into chunks of 64 bytes, but the chunks of "
               "layer 1 (DDD__cc) must be multiples of 36 bytes; choose another object size");
}

TEST(Lrc, RefusedProfilesNameTheLayer) {
  for (const auto& [parameters, beginning] : std::vector<std::pair<std::string, std::string>>{
           {"", "plugin lrc needs parameters for its layers; "},
           {"k=8 m=4 l=4", "l=4 is not allowed: use 3 or 6 (k/m/l = 8/4/3 or 8/4/6), "},
           {"k=4 m=2 l=3 backend=nope", "plugin nope does not exist"},
           {"k=1 m=1 l=2", "plugin lrc: in layer 0 (Dc_), k=1 is not allowed"}}) {
    const std::string message = thrown_by([&, &parameters = parameters] { make(parameters); }).what();
    EXPECT_TRUE(message.starts_with(beginning)) << message;
  }
}

}  // namespace
}  // namespace ecbench::test
