// The output formats of rows, which must show the same values, and which values were not measured; and their lines in a run file.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/columns.h"
#include "report/reporter.h"
#include "test/json_values.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

using test::expect_values;

/// A row with four samples, a confidence interval and a roofline.
Row sampled_row() {
  Row row;
  Measurement& measurement = row.measurement;
  measurement.point.plugin = "jerasure";
  measurement.point.profile = Profile({{"technique", "cauchy_good"}, {"k", "6"}, {"m", "2"}, {"w", "8"}, {"packetsize", "3072"}});
  measurement.point.workload = "encode";
  measurement.point.size_bytes = 10240;
  measurement.point.threads = 2;
  measurement.point.cpus = {0, 1};
  measurement.data_chunk_count = 6;
  measurement.chunk_count = 8;
  measurement.kernel = "galois_w08_region_multiply, \"SSE\"";
  measurement.sample_iterations = 5;
  for (int i = 0; i < 4; i++) measurement.samples.push_back({.placement = i / 2, .seconds = 0.25 + i, .cpu_seconds = 0.5});
  measurement.limit_seconds = {1e-6};
  row.summary = {.iterations = 40,
                 .seconds = 7.25,
                 .cpu_seconds = 2,
                 .gb_per_s = 20.125,
                 .cpu_seconds_per_gb = 0.0625,
                 .ci_low = 19.125,
                 .ci_high = 21.375,
                 .ci_confidence = 0.96875,
                 .limit_gb_per_s = 40,
                 .percent_of_limit = 50.3125,
                 .thread_gb_per_s = {10.5, 0.1}};
  row.command = "ecbench --plugin jerasure";
  return row;
}

/// A row that was measured with --iterations. Such a row has one sample.
Row classic_row() {
  Row row = sampled_row();
  row.measurement.point.iterations = 20;
  row.measurement.samples.resize(1);
  row.measurement.limit_seconds.clear();
  row.summary.ci_low = row.summary.ci_high = row.summary.gb_per_s;
  row.summary.ci_confidence = row.summary.limit_gb_per_s = row.summary.percent_of_limit = 0;
  return row;
}

std::string printed(const std::string& format, const Row& row, bool terminal = false) {
  std::ostringstream out;
  write_row(row, format, terminal, out);
  return out.str();
}

nlohmann::ordered_json json_of(const Row& row) { return nlohmann::ordered_json::parse(printed("json", row)); }

TEST(Table, AddsSpreadLimitAndCpuToCephsColumns) {
  EXPECT_EQ(printed("table", sampled_row()),
            "seconds\tKB\tplugin\tk\tm\twork.\titer.\tsize\teras.\ttechnique\tw\tpacketsize\tGB/s\t±%\t%limit\tCPU s/GB\tcommand.\n"
            "7.250000\t400\tjerasure\t6\t2\tencode\t40\t10240\t0\tcauchy_good\t8\t3072\t20.125\t5.6\t50.3\t0.0625\t"
            "ecbench --plugin jerasure\n");
}

TEST(Table, IsAlignedOnATerminalAlthoughPlusMinusIsTwoBytes) {
  std::istringstream lines(printed("table", sampled_row(), true));
  std::string titles, values;
  std::getline(std::getline(lines, titles), values);
  EXPECT_EQ(titles.find("%limit"), values.find("50.3") + 1) << "the heading contains ±, which is two bytes and one character";
  EXPECT_EQ(titles.find("CPU s/GB"), values.find("0.0625") + 1);
  EXPECT_EQ(titles.find("KB"), values.find("400"));
}

TEST(Table, CoresIncludeTheCrc32cOfAllChunks) {
  Row row = sampled_row();
  EXPECT_NE(printed("table", row, true).find("  0.78       -\n"), std::string::npos) << printed("table", row, true);
  row.measurement.crc32c_seconds_per_gb = 0.1875;
  EXPECT_NE(printed("table", row, true).find("  3.12       25\n"), std::string::npos) << printed("table", row, true);
}

TEST(Json, HasPercentagesTheHostAndTheDate) {
  Row row = sampled_row();
  row.measurement.chunk_size_bytes = 640;  // 3 stripes of 3840 bytes
  row.summary.drift = -0.25;
  row.summary.placement_spread = 0.5;
  row.host = "build7";
  row.date = "2026-01-31T23:59:59Z";
  EXPECT_NEAR(json_of(row)["ci_percent"].get<double>(), 5.59, 0.01);
  expect_values(json_of(row),
                R"({"padding_percent": 12.5, "ci_confidence_percent": 96.875, "drift_percent": -25.0, "host": "build7",
      "placement_spread_percent": 50.0, "limit_percent": 50.3125, "date": "2026-01-31T23:59:59Z"})");
}

TEST(Json, HasTheReadsOfARepair) {
  Row row = sampled_row();
  for (const char* key : {"reads", "chunks_read", "drive_factor", "network_factor", "reads_per_helper", "rebuilt_gb_per_s"}) {
    EXPECT_TRUE(json_of(row)[key].is_null()) << key;
  }
  row.measurement.sub_chunk_count = 8;
  row.measurement.repairs = {{2, {{0, {{0, 2}, {4, 2}}}, {3, {{0, 2}, {2, 2}}}}}};  // the runs of chunk 3 are one read
  row.measurement.point.erased = {2};
  row.summary.rebuilt_gb_per_s = 5.5;
  expect_values(json_of(row), R"({"reads": {"0": [[0, 2], [4, 2]], "3": [[0, 2], [2, 2]]}, "sub_chunk_count": 8, "chunks_read": 2.0,
                                  "drive_factor": 1.0, "network_factor": 1.5, "reads_per_helper": 1.5, "rebuilt_gb_per_s": 5.5})");
  row.measurement.point.erased.clear();
  row.measurement.repairs.push_back({0, {{1, {{0, 8}}}}});
  EXPECT_TRUE(json_of(row)["reads"].is_null()) << "there is one set of reads for each lost chunk";
  expect_values(json_of(row), R"({"chunks_read": 1.5, "drive_factor": 1.0, "network_factor": 1.25, "reads_per_helper": 1.25})");
}

TEST(Table, HasColumnsOfItsOwnForARepair) {
  Row row = sampled_row();
  row.measurement.repairs = {{0, {{1, {{0, 1}}}, {3, {{0, 1}}}}}};
  const std::string text = printed("table", row);
  EXPECT_NE(text.find("\trebuilt GB/s\tchunks read\tdrive\tnetwork\treads/helper\tcommand.\n"), std::string::npos);
  EXPECT_NE(text.find("\t0.000\t2.00\t2.000\t2.000\t1.0\tecbench "), std::string::npos);
}

TEST(Json, IsOneLineForAllTexts) {
  Row row = sampled_row();
  row.command = "a\nb\xff";
  EXPECT_EQ(json_line(row).find('\n'), std::string::npos);
  EXPECT_EQ(json_of(row)["command"], "a\nb\uFFFD");
}

Row row_with_remarks() {
  Row row = sampled_row();
  row.measurement.samples[1].disturbance = Disturbance::cpu_taken;
  row.warnings = {{"few_clean_samples", "too few, \"samples\""}, {"drift", "it drifted"}};
  row.notes = {{"no_reference", "none; yet"}};
  return row;
}

TEST(Csv, HasListsAndObjectsInOneCellAndNothingForNull) {
  Row full = row_with_remarks();
  full.measurement.point.codec_lib = "/opt/isal";
  full.codec_libraries = {{.name = "liba.so.1", .path = "/opt/isal/liba.so.1.2", .version = "1.2", .build_id = "beef"},
                          {.name = "libb.so", .path = "/opt/isal/libb.so"}};
  full.summary.gb_per_s = 1.0 / 3;
  full.measurement.point.seed = 18446744073709551615U;
  for (const auto& [row, cells] : std::vector<std::pair<Row, std::vector<std::string>>>{
           {full,
            {",\"galois_w08_region_multiply, \"\"SSE\"\"\",", ",true,few_clean_samples;drift,no_reference,",
             ",18446744073709551615,", ",0.3333333333333333,",
             ",liba.so.1.path=/opt/isal/liba.so.1.2;liba.so.1.version=1.2;liba.so.1.build_id=beef;libb.so.path=/opt/isal/libb.so;",
             ";libb.so.path=/opt/isal/libb.so;libb.so.version=;libb.so.build_id=,"}},
           {classic_row(),
            {",true,,,", ",10.5;0.1,", "4,,,jerasure,k=6;m=2;packetsize=3072;technique=cauchy_good;w=8,encode,6,2,8,10240,,"}}}) {
    const std::string csv = printed("csv", row);
    for (const std::string& cell : cells) EXPECT_NE(csv.find(cell), std::string::npos) << cell << " in " << csv;
  }
}

TEST(Table, MarksAFigureWithAWarning) {
  EXPECT_NE(printed("table", row_with_remarks()).find("\t20.125!\t"), std::string::npos);
  Row row = sampled_row();
  row.notes = {{"no_reference", "none"}};
  EXPECT_NE(printed("table", row).find("\t20.125\t"), std::string::npos) << "a note is not a warning";
}

TEST(Home, IsATildeAtTheBeginningOfAWordUnlessItIsUnsetOrTheRoot) {
  for (const auto& [home, command, expected] : std::vector<std::array<std::string, 3>>{
           {"/home/jo", "/home/jo/build/ecbench --input /home/jo --seed 1", "~/build/ecbench --input ~ --seed 1"},
           {"/home/jo", "'/home/jo/a b/ecbench' '/home/jo'", "~/'a b/ecbench' ~"},
           {"/home/jo/", "/home/jo/x", "~/x"},
           {"/home/o'neil", "'/home/o'\\''neil/my file' 1", "~/'my file' 1"}}) {
    EXPECT_EQ(without_home(command, home), expected);
  }
  for (const char* command : {"/home/joanna/ecbench", "build/x", "/mnt/home/jo/x", "'/home/joanna/a b'", "'a /home/jo/b' c"}) {
    EXPECT_EQ(without_home(command, "/home/jo"), command);
  }
  const std::string command = "/usr/bin/ecbench --input relative/x";
  for (const char* home : {"", "/", "//", "relative"}) EXPECT_EQ(without_home(command, home), command);
}

namespace fs = std::filesystem;

class Append : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::string content() const { return test::content_of(path); }
  /// The error message of append_line(), or "" if append_line() succeeds. If `foreseen` is true, checks that require_appendable()
  /// reports the same error.
  std::string refusal(const std::string& line, bool foreseen = true) const {
    const std::string message = test::message_of([&] { append_line(path, line); });
    if (foreseen) {
      EXPECT_EQ(test::message_of([&] { require_appendable(path); }), message);
    }
    return message;
  }

  test::TemporaryFolder folder;
  fs::path path = folder / "run.jsonl";
};

TEST_F(Append, WritesNoPartOfALineThatDoesNotFitAndKeepsTheSignalForIt) {
  struct sigaction before_all {
  }, after_all{};
  sigaction(SIGXFSZ, nullptr, &before_all);
  EXPECT_NO_THROW(require_appendable(path));
  EXPECT_FALSE(fs::exists(path)) << "require_appendable() has created the file";
  // In the last case, the file has 13 bytes; one more byte causes SIGXFSZ, which must not end the process.
  for (const auto& [before, limit_bytes, line, reason] : std::vector<std::tuple<std::string, rlim_t, std::string, std::string>>{
           {"", 3, "longer than that", "3 of 17 bytes"},
           {"a whole line\n", 20, std::string(100, 'x'), "7 of 101 bytes"},
           {"a whole line\n", 13, "x", "too large"}}) {
    if (!before.empty()) write(before);
    rlimit usual{};
    getrlimit(RLIMIT_FSIZE, &usual);
    const rlimit full_disk{limit_bytes, usual.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full_disk);
    const std::string message = refusal(line, false);
    setrlimit(RLIMIT_FSIZE, &usual);
    EXPECT_EQ(content(), before);
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  }
  append_line(path, "x");
  EXPECT_EQ(content(), "a whole line\nx\n");
  sigaction(SIGXFSZ, nullptr, &after_all);
  EXPECT_EQ(after_all.sa_handler, before_all.sa_handler);
}

TEST_F(Append, RefusesAFifoAndADirectoryWithoutFiles) {
  path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal("x").find("regular"), std::string::npos);
  path = "/proc/run.jsonl";  // not even root can create files here
  EXPECT_NE(refusal("x", false), "");
}

TEST_F(Append, RefusesFilesWithoutWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write("whole\n");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_NE(refusal("x").find("denied"), std::string::npos);
  EXPECT_EQ(content(), "whole\n");
  path = folder / "new.jsonl";
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(refusal("x").find("denied"), std::string::npos);
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace ecbench
