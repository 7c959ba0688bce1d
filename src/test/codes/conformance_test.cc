// Compares ecbench with Ceph's plugins. Every encoded chunk must have the same bytes as Ceph's chunk. To rebuild a lost chunk,
// ecbench must not read more sub-chunks than Ceph reads. ecbench must recover at least as many losses of one chunk as Ceph, and at
// least as many losses of two chunks as Ceph.

#include <gtest/gtest.h>

#include <iostream>

#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/conformance_data.h"

namespace ecbench::test {
namespace {

using nlohmann::json;

/// A plugin of Ceph, and the number of its lines in corpus.jsonl, golden.jsonl and reads.jsonl.
struct Lines {
  std::string plugin;
  int corpus;
  int golden;
  int reads;
};

void PrintTo(const Lines& lines, std::ostream* out) {
  *out << lines.plugin;
}

std::string name_of(const json& line) {
  return line.at("plugin").get<std::string>() + line.at("profile").dump();
}

class ConformanceOf : public testing::TestWithParam<Lines> {
 protected:
  /// Runs `check` on every line of `file` that belongs to this plugin. Returns the number of these lines.
  template <typename Check>
  int each_line(const std::string& file, Check check) {
    int count = 0;
    for (const json& line : conformance_lines(file)) {
      if (line.at("plugin") != GetParam().plugin) continue;
      SCOPED_TRACE(name_of(line));
      check(line);
      count++;
    }
    return count;
  }
};

void check_chunks(const json& line, const std::vector<std::uint8_t>& object) {
  SCOPED_TRACE(object.size());
  const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
  ASSERT_EQ(code->chunk_size(object.size()), line.at("chunk_size").get<std::size_t>());
  const ChunkSet chunks = encoded(*code, object);
  std::vector<std::string> hashes;
  for (const int position : all_positions(*code)) hashes.push_back(sha256(chunks[position]));
  EXPECT_EQ(hashes, line.at("chunks").get<std::vector<std::string>>());
}

TEST_P(ConformanceOf, EncodesThePublishedCorpusOfCeph) {
  const int lines = each_line("corpus.jsonl", [](const json& line) { check_chunks(line, corpus_object(line.at("object_size"))); });
  EXPECT_EQ(lines, GetParam().corpus);
}

TEST_P(ConformanceOf, EncodesWhatThePluginsOfCeph16Encode) {
  const int lines = each_line("golden.jsonl", [](const json& line) {
    check_chunks(line, golden_object(line.at("object_size")));
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    EXPECT_EQ(code->data_chunk_count(), line.at("k").get<int>());
    EXPECT_EQ(code->chunk_count(), line.at("n").get<int>());
    EXPECT_EQ(code->sub_chunk_count(), line.at("sub_chunks").get<int>());
    const auto mapping = line.at("mapping").get<std::vector<int>>();  // for Ceph's lrc, the mapping includes the coding chunks
    for (int j = 0; j < std::min(code->data_chunk_count(), static_cast<int>(mapping.size())); j++) {
      EXPECT_EQ(code->position(ChunkNumber{j}), mapping[static_cast<std::size_t>(j)]) << "data chunk " << j;
    }
  });
  EXPECT_EQ(lines, GetParam().golden);
}

json json_of(const ReadSet& reads) {
  json result = json::object();
  for (const auto& [position, runs] : reads) {
    for (const SubChunkRun& run : runs) result[std::to_string(position)].push_back({run.first, run.count});
  }
  return result;
}

/// The number of sub-chunks in the read set `reads`, which has the format of an element of "min1" in reads.jsonl.
int sub_chunks(const json& reads) {
  int sum = 0;
  for (const auto& [position, runs] : reads.items()) {
    for (const json& run : runs) sum += run.at(1).get<int>();
  }
  return sum;
}

TEST_P(ConformanceOf, ReadsNoMoreThanCephToRebuildOneChunk) {
  const int lines = each_line("reads.jsonl", [](const json& line) {
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    const ChunkSet truth = encoded(*code, random_object(2000));
    ASSERT_EQ(line.at("min1").size(), static_cast<std::size_t>(code->chunk_count()));
    std::string fewer;
    for (int lost = 0; lost < code->chunk_count(); lost++) {
      const json reads = json_of(checked_reads(*code, truth, lost));
      const json& of_ceph = line.at("min1").at(static_cast<std::size_t>(lost));
      EXPECT_LE(sub_chunks(reads), sub_chunks(of_ceph))
          << "lost " << lost << ": ecbench reads " << reads << ", Ceph reads " << of_ceph;
      if (sub_chunks(reads) < sub_chunks(of_ceph)) {
        fewer += (fewer.empty() ? "" : ", ") + std::to_string(sub_chunks(reads)) + " instead of " +
                 std::to_string(sub_chunks(of_ceph)) + " for chunk " + std::to_string(lost);
      }
    }
    if (!fewer.empty()) std::cout << name_of(line) << " reads fewer sub-chunks than Ceph: " << fewer << '\n';
  });
  EXPECT_EQ(lines, GetParam().reads);
}

/// Tries every loss of `count` chunks. Returns the number of losses that the code recovers. Checks the bytes of the rebuilt chunks.
int recovered(const ErasureCode& code, const ChunkSet& truth, std::size_t count) {
  int sum = 0;
  for (const Positions& erased : erasure_patterns(code.chunk_count(), static_cast<int>(count))) {
    if (erased.size() != count) continue;
    try {
      check_decode(code, truth, erased, all_positions(code));
      sum++;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::unrecoverable) << error.what();
    }
  }
  return sum;
}

TEST_P(ConformanceOf, RecoversWhatCephRecovers) {
  each_line("reads.jsonl", [](const json& line) {
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    const ChunkSet truth = encoded(*code, random_object(2000));
    for (const std::size_t count : {1u, 2u}) {
      const json& of_ceph = line.at("decode" + std::to_string(count));
      if (of_ceph.is_null()) continue;  // the code has only one coding chunk
      const int ours = recovered(*code, truth, count);
      const int theirs = of_ceph.at(0);
      EXPECT_GE(ours, theirs) << "losses of " << count << " chunks";
      if (ours > theirs) {
        std::cout << name_of(line) << " recovers " << ours << " losses of " << count << " chunks, Ceph recovers " << theirs << '\n';
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugins, ConformanceOf,
                         testing::Values(Lines{"jerasure", 457, 218, 45}, Lines{"isa", 111, 75, 15}, Lines{"shec", 74, 70, 14},
                                         Lines{"lrc", 12, 48, 9}, Lines{"clay", 105, 80, 16}),
                         [](const testing::TestParamInfo<Lines>& line) { return line.param.plugin; });

// With jerasure, isa and shec, ecbench must read exactly the chunks that Ceph reads.
TEST(Conformance, ReadsWhatCephReads) {
  int lines = 0;
  for (const json& line : conformance_lines("reads.jsonl")) {
    if (line.at("plugin") != "jerasure" && line.at("plugin") != "isa" && line.at("plugin") != "shec") continue;
    SCOPED_TRACE(name_of(line));
    const std::unique_ptr<ErasureCode> code = make_code(line.at("plugin"), profile_of(line));
    for (int lost = 0; lost < code->chunk_count(); lost++) {
      Positions available = all_positions(*code);
      available.erase(available.begin() + lost);
      EXPECT_EQ(json_of(code->minimum_to_decode({lost}, available)), line.at("min1").at(static_cast<std::size_t>(lost)));
    }
    lines++;
  }
  EXPECT_EQ(lines, 45 + 15 + 14);
}

TEST(Conformance, EveryLineIsOfAPluginThatIsTested) {
  EXPECT_EQ(conformance_lines("corpus.jsonl").size(), 457u + 111 + 74 + 12 + 105);
  EXPECT_EQ(conformance_lines("golden.jsonl").size(), 218u + 75 + 70 + 48 + 80);
  EXPECT_EQ(conformance_lines("reads.jsonl").size(), 45u + 15 + 14 + 9 + 16);
}

}  // namespace
}  // namespace ecbench::test
