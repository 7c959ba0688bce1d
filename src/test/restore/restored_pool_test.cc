// restore_object() with files of Ceph's tools.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "benchmark/objects/encoded_object.h"
#include "erasure_code/error.h"
#include "restore/chunk_files.h"
#include "restore/restore.h"
#include "test/coded_object.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// An object in a pool, and what Ceph's tools print about it.
struct Stored {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> chunks;  ///< by position
  Positions lost;
  std::size_t unit = 0;
  Json map;
  Json dump;
  bool as_luminous = false;

  Json& pool() { return map["pools"][0]; }
  Json& profile() { return map["erasure_code_profiles"]["ours"]; }
};

class RestoredPool : public testing::Test {
 protected:
  Stored store(const std::string& plugin, const std::string& parameters, std::size_t requested_unit, std::size_t size) {
    Json values(parsed_profile(parameters).values());
    const auto code = make_code(plugin, parameters);
    const std::size_t k = index(code->data_chunk_count());
    Stored stored{.bytes = random_object(size), .unit = code->chunk_size(k * requested_unit)};
    stored.bytes.back() |= 1;  // must not look like padding
    const EncodedObject object(*code, stored.bytes, stored.unit);
    Json hashes = Json::array();
    for (int position = 0; position < code->chunk_count(); position++) {
      const auto chunk = object.chunks().bytes(position);
      stored.chunks.emplace_back(chunk.begin(), chunk.end());
      hashes.push_back({{"shard", position}, {"hash", hash({chunk})}});
    }
    values["plugin"] = plugin;
    const std::vector<std::string> units = {std::to_string(requested_unit), std::to_string(requested_unit >> 10) + "K",
                                            std::to_string(requested_unit >> 10) + "Ki", std::to_string(requested_unit) + "B"};
    values["stripe_unit"] = units[below(units.size())];
    stored.map = {{"pools",
                   {{{"pool", 7},
                     {"pool_name", "data"},
                     {"type", 3},
                     {"flags_names", "hashpspool,ec_overwrites"},
                     {"size", code->chunk_count()},
                     {"erasure_code_profile", "ours"},
                     {"stripe_width", k * stored.unit}}}},
                  {"erasure_code_profiles", {{"ours", values}}}};
    stored.dump = {{"info",
                    {{"oid", {{"pool", 7}}},
                     {"size", size},
                     {"flags", {"dirty", "data_digest"}},
                     {"data_digest", crc32c_text(hash({stored.bytes}))}}},
                   {"hinfo", {{"total_chunk_size", stored.chunks[0].size()}, {"cumulative_shard_hashes", hashes}}}};
    const bool is_mds = plugin != "lrc" && plugin != "shec";
    stored.lost.resize(is_mds ? index(code->coding_chunk_count()) : 1);
    Positions all = all_positions(*code);
    std::ranges::shuffle(all, random_);
    std::copy_n(all.begin(), stored.lost.size(), stored.lost.begin());
    return stored;
  }

  static void remove_digests(Stored& stored) {
    stored.dump["info"]["flags"] = {"dirty"};
    stored.dump["hinfo"]["cumulative_shard_hashes"] = Json::array();
  }

  /// Throws Error.
  std::vector<std::uint8_t> restored(const Stored& stored) {
    fs::remove_all(folder_ / "chunks");
    for (std::size_t position = 0; position < stored.chunks.size(); position++) {
      if (std::ranges::find(stored.lost, static_cast<int>(position)) != stored.lost.end()) continue;
      folder_.write("chunks/" + std::to_string(position), stored.chunks[position]);
    }
    folder_.write("osdmap", stored.map.dump());
    folder_.write("dump", stored.as_luminous ? luminous_text(stored.dump) : stored.dump.dump());
    const RestoreRequest request{
        .directory = folder_ / "chunks", .ceph_dump_file = folder_ / "dump", .osdmap_file = folder_ / "osdmap"};
    std::ostringstream out;
    restore_object(request, registry(), out, [this](const std::string& text) { said_ += text + '\n'; });
    const std::string text = out.str();
    return {text.begin(), text.end()};
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string said_;
  static constexpr unsigned seed = 5504;
  std::mt19937 random_{seed};

 private:
  static std::uint32_t hash(const std::vector<std::span<const std::uint8_t>>& pieces) {
    return static_cast<std::uint32_t>(std::stoul(crc32c(pieces), nullptr, 16));
  }

  /// Up to Luminous, the list is an object whose keys are equal.
  static std::string luminous_text(Json dump) {
    std::string hashes;
    for (const Json& hash : dump["hinfo"]["cumulative_shard_hashes"])
      hashes += (hashes.empty() ? "" : ",") + ("\"hash\":" + hash.dump());
    dump["hinfo"]["cumulative_shard_hashes"] = "HASHES";
    std::string text = dump.dump();
    return text.replace(text.find("\"HASHES\""), 8, "{" + hashes + "}");
  }

  TemporaryFolder folder_;
};

/// Makes one fact contradict another one. `may_succeed`: it is harmless in some cases, for example because it is one chunk.
struct Contradiction {
  std::string name;
  std::function<void(Stored&)> make;
  bool may_succeed = false;
};

std::string plus(const Json& number, int difference) { return std::to_string(std::stoi(number.get<std::string>()) + difference); }

const std::vector<Contradiction> contradictions = {
    {"m of the profile is larger", [](Stored& s) { s.profile()["m"] = plus(s.profile()["m"], 1); }},
    {"k of the profile is larger", [](Stored& s) { s.profile()["k"] = plus(s.profile()["k"], 1); }},
    {"k+1 and m-1 in the profile",
     [](Stored& s) {
       s.profile()["k"] = plus(s.profile()["k"], 1);
       s.profile()["m"] = plus(s.profile()["m"], -1);
     }},
    {"size of the pool is larger", [](Stored& s) { s.pool()["size"] = s.chunks.size() + 1; }},
    {"size of the pool is smaller", [](Stored& s) { s.pool()["size"] = s.chunks.size() - 1; }},
    {"stripe_width is twice as large",
     [](Stored& s) { s.pool()["stripe_width"] = s.pool()["stripe_width"].get<std::size_t>() * 2; }},
    {"stripe_width is no multiple", [](Stored& s) { s.pool()["stripe_width"] = s.pool()["stripe_width"].get<std::size_t>() + 1; }},
    {"stripe_unit of the profile", [](Stored& s) { s.profile()["stripe_unit"] = std::to_string(s.unit * 2); }},
    {"stripe_unit with a suffix", [](Stored& s) { s.profile()["stripe_unit"] = std::to_string(s.unit >> 9) + "Ki"; }},
    {"stripe_unit is no size", [](Stored& s) { s.profile()["stripe_unit"] = "4Q"; }},
    {"another pool", [](Stored& s) { s.dump["info"]["oid"]["pool"] = 8; }},
    {"a replicated pool", [](Stored& s) { s.pool()["type"] = 1; }},
    {"length of all chunks",
     [](Stored& s) {
       for (std::string& chunk : s.chunks) chunk.append(s.unit, '\0');
     }},
    {"length of all chunks, smaller",
     [](Stored& s) {
       for (std::string& chunk : s.chunks) chunk.resize(chunk.size() - 32);
     }},
    {"length of the chunks in the dump", [](Stored& s) { s.dump["hinfo"]["total_chunk_size"] = s.chunks[0].size() + s.unit; }},
    {"size of the object", [](Stored& s) { s.dump["info"]["size"] = s.bytes.size() + s.chunks.size() * s.unit; }},
    {"digests without overwrites", [](Stored& s) { s.pool()["flags_names"] = "hashpspool"; }, true},
    {"a digest less",
     [](Stored& s) {
       Json& hashes = s.dump["hinfo"]["cumulative_shard_hashes"];
       if (!hashes.empty()) hashes.erase(hashes.size() - 1);
     },
     true},
    {"length of one chunk",
     [](Stored& s) {
       std::string& chunk = s.chunks[s.lost.front() == 0 ? 1 : 0];
       chunk.resize(chunk.size() - 32);
     },
     true},
};

TEST_F(RestoredPool, AContradictionNeverGivesAWrongObject) {
  std::cout << "seed " << seed << '\n';
  const std::vector<Profiled> fixed = {
      {"lrc", "k=4 m=2 l=3"},  {"lrc", "k=6 m=2 l=4"}, {"lrc", "k=2 m=2 l=2"}, {"shec", "k=4 m=3 c=2"},
      {"shec", "k=6 m=4 c=3"}, {"clay", "k=4 m=2"},    {"clay", "k=3 m=3"},    {"clay", "k=2 m=2 scalar_mds=isa"}};
  const std::vector<Profiled> mds = {{"jerasure", "technique=reed_sol_van"},
                                     {"jerasure", "technique=cauchy_good packetsize=32"},
                                     {"isa", "technique=reed_sol_van"},
                                     {"isa", "technique=cauchy"}};
  for (int pool = 0; pool < 200; pool++) {
    Profiled code = fixed[below(fixed.size())];
    if (below(2) == 0) {
      code = mds[below(mds.size())];
      code.parameters += " k=" + std::to_string(2 + below(5)) + " m=" + std::to_string(2 + below(2));
    }
    const Stored stored = store(code.plugin, code.parameters, std::size_t{4096} << below(3), 1 + below(100'000));
    const Contradiction& contradiction = contradictions[index(pool) % contradictions.size()];
    for (const bool has_digests : {true, false}) {
      SCOPED_TRACE(code.plugin + " " + code.parameters + ", " + contradiction.name + (has_digests ? "" : ", no digests"));
      Stored changed = stored;
      if (!has_digests) remove_digests(changed);
      EXPECT_EQ(restored(changed), stored.bytes);
      contradiction.make(changed);
      try {
        EXPECT_EQ(restored(changed), stored.bytes) << "a wrong object";
        EXPECT_TRUE(contradiction.may_succeed) << "not refused";
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
}

TEST_F(RestoredPool, DumpsOfLuminousHaveDigests) {
  for (const Profiled& code :
       {Profiled{"isa", "k=4 m=2"}, {"jerasure", "technique=reed_sol_van k=2 m=1"}, {"lrc", "k=4 m=2 l=3"}}) {
    Stored stored = store(code.plugin, code.parameters, 4096, 50'000);
    stored.as_luminous = true;
    EXPECT_EQ(restored(stored), stored.bytes);
    stored.dump["info"]["flags"] = {"dirty"};
    stored.chunks[stored.lost.front() == 0 ? 1 : 0][100] ^= 1;  // found only with the digests of chunks
    if (code.plugin != "lrc") {
      EXPECT_EQ(thrown_by([&] { restored(stored); }).kind(), Error::Kind::wrong_bytes);
    }
    remove_digests(stored);
    stored.chunks[stored.lost.front() == 0 ? 1 : 0][100] ^= 1;
    EXPECT_EQ(restored(stored), stored.bytes);
  }
}

TEST_F(RestoredPool, TheDigestOfTheObjectFindsADamagedChunk) {
  for (const Profiled& code : {Profiled{"isa", "k=4 m=2"}, {"jerasure", "technique=reed_sol_van k=2 m=1"}, {"clay", "k=4 m=2"}}) {
    Stored stored = store(code.plugin, code.parameters, 4096, 50'000);
    stored.dump["hinfo"]["cumulative_shard_hashes"] = Json::array();
    stored.lost.pop_back();
    for (std::size_t position = 0; position < stored.chunks.size(); position++) {
      Stored damaged = stored;
      damaged.chunks[position][100] ^= 1;
      EXPECT_EQ(restored(damaged), stored.bytes) << code.plugin << position;
    }
    stored.lost.clear();
    stored.chunks[0][100] ^= 1;
    stored.chunks[1][100] ^= 1;
    EXPECT_EQ(thrown_by([&] { restored(stored); }).kind(), Error::Kind::wrong_bytes);
  }
}

// Without an intact chunk, lrc and shec may decode in a way that does not read the damaged one.
TEST_F(RestoredPool, AnIntactChunkIsNotCalledDamaged) {
  for (const Profiled& code : {Profiled{"lrc", "k=4 m=2 l=3"}, {"shec", "k=6 m=4 c=3"}}) {
    Stored stored = store(code.plugin, code.parameters, 4096, 50'000);
    stored.dump["hinfo"]["cumulative_shard_hashes"] = Json::array();
    for (std::size_t position = 1; position < stored.chunks.size(); position++) {
      Stored damaged = stored;
      damaged.lost = {0};
      damaged.chunks[position][100] ^= 1;
      said_.clear();
      if (error_of([&] { EXPECT_EQ(restored(damaged), stored.bytes); })) continue;
      if (said_.find("right without chunk ") == std::string::npos) continue;
      EXPECT_NE(said_.find("right without chunk " + std::to_string(position) + ","), std::string::npos) << said_;
    }
  }
}

/// As allow_ec_optimizations stores them: without the zeros at the end.
void shorten(Stored& stored) {
  for (std::string& chunk : stored.chunks) chunk.resize(round_up(chunk.find_last_not_of('\0') + 1, 4096));
  stored.dump.erase("hinfo");
  stored.pool()["flags_names"] = "hashpspool,ec_overwrites,ec_optimizations";
}

TEST_F(RestoredPool, ShorterShardsArePadded) {
  for (const std::size_t size : {1ul, 4096ul, 70'000ul, 131'073ul, 196'609ul}) {
    for (const char* parameters : {"technique=reed_sol_van k=4 m=2", "technique=reed_sol_van k=3 m=3"}) {
      SCOPED_TRACE(size);
      const Stored whole = store("isa", parameters, 16384, size);
      Stored stored = whole;
      shorten(stored);
      EXPECT_EQ(restored(stored), stored.bytes);
      stored.lost.clear();  // the others can have the same length
      stored.dump["info"]["flags"] = {"dirty"};
      const std::string message = thrown_by([&] { restored(stored); }).what();
      EXPECT_NE(message.find("pad the shorter ones with zeros"), std::string::npos) << message;
      EXPECT_NE(message.find("truncate --size=" + std::to_string(whole.chunks[0].size())), std::string::npos) << message;
      stored.chunks = whole.chunks;
      EXPECT_EQ(restored(stored), stored.bytes);
    }
  }
}

TEST_F(RestoredPool, ATruncatedChunkIsNotPaddedToAWrongObject) {
  Stored stored = store("isa", "k=4 m=2", 4096, 50'000);
  stored.dump.erase("hinfo");
  stored.chunks[stored.lost.front() == 0 ? 1 : 0].resize(4096);
  EXPECT_THROW(restored(stored), Error);
}

}  // namespace
}  // namespace ecbench::test
