// Our chunks are Ceph's chunks, byte for byte, and a lost chunk is rebuilt from the chunks that Ceph reads.

#include <gtest/gtest.h>

#include <set>

#include "test/coded_object.h"
#include "test/conformance_data.h"

namespace ecbench::test {
namespace {

using nlohmann::json;

// Plugins that are still to come.
const std::set<std::string> not_yet = {"lrc", "clay"};

struct LineCounts {
  int checked = 0;
  int skipped = 0;
};

void check_line(const json& line, const std::vector<std::uint8_t>& object) {
  const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
  ASSERT_EQ(code->chunk_size(object.size()), line.at("chunk_size").get<std::size_t>());
  const ChunkSet chunks = encoded(*code, object);
  std::vector<std::string> hashes;
  for (const int position : all_positions(*code)) hashes.push_back(sha256(chunks[position]));
  EXPECT_EQ(hashes, line.at("chunks").get<std::vector<std::string>>());
}

template <typename MakeObject>
LineCounts check_file(const std::string& file, MakeObject make_object) {
  LineCounts counts;
  for (const json& line : conformance_lines(file)) {
    if (not_yet.count(line.at("plugin"))) {
      counts.skipped++;
      continue;
    }
    SCOPED_TRACE(line.at("plugin").dump() + line.at("profile").dump() + line.at("object_size").dump());
    check_line(line, make_object(line.at("object_size").get<std::size_t>()));
    counts.checked++;
  }
  return counts;
}

TEST(Conformance, EncodesThePublishedCorpusOfCeph) {
  const LineCounts counts = check_file("corpus.jsonl", corpus_object);
  EXPECT_EQ(counts.checked, 457 + 111 + 74) << "lines of jerasure, isa and shec";
  EXPECT_EQ(counts.checked + counts.skipped, 759);
}

TEST(Conformance, EncodesWhatThePluginsOfCeph16Encode) {
  const LineCounts counts = check_file("golden.jsonl", golden_object);
  EXPECT_EQ(counts.checked, 218 + 75 + 70) << "lines of jerasure, isa and shec";
  EXPECT_EQ(counts.checked + counts.skipped, 491);
}

TEST(Conformance, ReadsWhatCephReadsToRebuildOneChunk) {
  int checked = 0;
  for (const json& line : conformance_lines("reads.jsonl")) {
    if (not_yet.count(line.at("plugin"))) continue;
    SCOPED_TRACE(line.at("plugin").dump() + line.at("profile").dump());
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    for (int lost = 0; lost < code->chunk_count(); lost++) {
      Positions available = all_positions(*code);
      available.erase(available.begin() + lost);
      json reads = json::object();
      for (const auto& [position, runs] : code->minimum_to_decode({lost}, available)) {
        for (const SubChunkRun& run : runs) reads[std::to_string(position)].push_back({run.first, run.count});
      }
      EXPECT_EQ(reads, line.at("min1").at(static_cast<std::size_t>(lost))) << "lost " << lost;
    }
    checked++;
  }
  EXPECT_EQ(checked, 60 + 14) << "profiles of jerasure, isa and shec";
}

}  // namespace
}  // namespace ecbench::test
