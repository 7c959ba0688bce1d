// Warnings about figures.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "benchmark/warnings/remarks.h"
#include "coded_object.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

// Tests which warnings and notes figure_remarks() returns for a measurement.

/// An environment that causes no warning and no note. The measurement has one thread, which is pinned to one of two CPUs.
Environment fit() {
  Environment environment;
  environment.build.optimised = true;
  environment.cpu.online = {0, 1};
  environment.system.allowed_cpus = {0, 1};
  environment.pinned_cpus = {1};
  return environment;
}

/// A measurement in which all samples are clean. The probes are as fast as the best probes of earlier runs (`reference`).
Measurement clean() {
  Measurement measurement{.point = {.size_bytes = 1000}, .sample_iterations = 1, .samples = std::vector<Sample>(40)};
  for (Sample& sample : measurement.samples) sample = {.seconds = 1, .cpu_seconds = 1, .probe = {.throughput = 16}};
  measurement.reference = measurement.undisturbed = {.throughput = 16};
  return measurement;
}

void disturb(Measurement& measurement, std::size_t count, Disturbance disturbance) {
  for (std::size_t i = 0; i < count; i++) measurement.samples[i].disturbance = disturbance;
}

std::string codes(const Remarks& remarks) {
  std::string joined;
  for (const Remark& remark : remarks) joined += (joined.empty() ? "" : " ") + remark.code;
  return joined;
}

FigureRemarks remarks(const Measurement& measurement, const Environment& environment = fit(), bool stored = true) {
  return figure_remarks(measurement, summarize(measurement), environment, stored);
}

using Change = std::function<void(Measurement&, Environment&)>;

void drift(Measurement& measurement, Environment&) {
  for (std::size_t i = 0; i < 40; i++) measurement.samples[i].seconds = 1 + 0.002 * static_cast<double>(i);
}

void run_threads_in_turn(Measurement& measurement, Environment& environment) {
  measurement.point.threads = environment.threads = 2;
  environment.pinned_cpus = {0, 1};
  for (Sample& sample : measurement.samples) sample.thread_seconds = {0.5, 0.5};
}

TEST(FigureRemarks, AreWarningsOrNotes) {
  const auto load = [](Measurement&, Environment& e) { e.system.load_average = {9.0, 9.0, 9.0}; };
  const auto disturbed = [](Measurement& m, Environment&) { disturb(m, 40, Disturbance::cpu_taken); };
  const auto target = [](Measurement& m, Environment&) { m.point.sampling.target_percent = 1; };
  const auto unpinned = [](Measurement&, Environment& e) { e.pinned_cpus.clear(), e.cpu.governor = "powersave"; };
  const auto sanitized = [](Measurement&, Environment& e) { e.build.sanitized = true; };
  const auto throttled = [](Measurement&, Environment& e) { e.during_run = Interference{.throttled_seconds = 0.5}; };
  for (const auto& [changes, warnings, notes] : std::vector<std::tuple<std::vector<Change>, std::string, std::string>>{
           {{}, "", ""},
           {{drift}, "drift", ""},
           {{drift, target}, "drift wide_interval", ""},
           {{run_threads_in_turn}, "threads_not_parallel", ""},
           {{unpinned}, "", "frequency_governor not_pinned"},
           {{sanitized, throttled}, "sanitizer_build throttled", ""},
           {{load}, "", "load_average"},
           {{load, disturbed}, "few_clean_samples load_average", ""}}) {
    Measurement measurement = clean();
    Environment environment = fit();
    for (const Change& change : changes) change(measurement, environment);
    EXPECT_EQ(codes(remarks(measurement, environment).warnings), warnings);
    EXPECT_EQ(codes(remarks(measurement, environment).notes), notes);
  }
}

TEST(FigureRemarks, SayThatTooFewSamplesAreCleanAndWhy) {
  Measurement measurement = clean();
  disturb(measurement, 39, Disturbance::core_shared);
  disturb(measurement, 2, Disturbance::cpu_taken);
  const FigureRemarks found = remarks(measurement);
  EXPECT_EQ(codes(found.warnings), "few_clean_samples");
  EXPECT_NE(found.warnings.front().text.find("1 of 40 (disturbances: a thread waited for its CPU in 2 samples, another hardware "
                                             "thread used the same core in 37 samples)"),
            std::string::npos)
      << found.warnings.front().text;
  disturb(measurement, 30, Disturbance::none);
  EXPECT_EQ(codes(remarks(measurement).warnings), "") << "30 are enough";
  Measurement one = clean();
  one.point.iterations = 100;
  one.samples.resize(1);
  EXPECT_EQ(codes(remarks(one).warnings), "");
  disturb(one, 1, Disturbance::cpu_taken);
  EXPECT_EQ(codes(remarks(one).warnings), "few_clean_samples");
}

TEST(FigureRemarks, WarnOfASharedCoreInTheWordsThatPythonReads) {
  Measurement measurement = clean();
  measurement.shared_core = {.throughput = 12, .seconds = 2};
  measurement.undisturbed.throughput = 12;
  const Remarks found = remarks(measurement).warnings;
  EXPECT_EQ(codes(found), "core_shared");
  EXPECT_TRUE(
      found.front().text.starts_with("another hardware thread shares the core; figures are about 25 % below the best seen here;"))
      << found.front().text;
  disturb(measurement, 40, Disturbance::cpu_taken);
  EXPECT_EQ(codes(remarks(measurement).warnings), "few_clean_samples");
}

TEST(FigureRemarks, NameTheStoredSpeedIfOnlyThisSpeedMakesAllSamplesDisturbed) {
  Measurement measurement = clean();
  disturb(measurement, 40, Disturbance::core_shared);
  EXPECT_EQ(remarks(measurement).warnings.front().text.find("ecbench/probe"), std::string::npos);
  measurement.reference.throughput *= 2;
  EXPECT_NE(remarks(measurement).warnings.front().text.find("remove the file ecbench/probe in"), std::string::npos);
}

TEST(FigureRemarks, NoteASlowPlan) {
  Measurement measurement = clean();
  measurement.plan_ns = 0.05e9;
  EXPECT_EQ(codes(remarks(measurement).notes), "") << "the plan takes 5 % of a call of 1 s";
  measurement.plan_ns = 0.051e9;
  const FigureRemarks found = remarks(measurement);
  EXPECT_EQ(codes(found.warnings), "");
  EXPECT_EQ(codes(found.notes), "slow_plan");
  EXPECT_NE(found.notes.front().text.find("51000000.0 ns; this is 5.1 % of the time of a call (1000000000.0 ns)"),
            std::string::npos)
      << found.notes.front().text;
}

TEST(FigureRemarks, NoteThatThereIsNoReference) {
  Measurement measurement = clean();
  measurement.reference = {};
  FigureRemarks found = remarks(measurement);
  EXPECT_EQ(codes(found.warnings), "");
  EXPECT_EQ(codes(found.notes), "no_reference");
  EXPECT_NE(found.notes.front().text.find("next run"), std::string::npos);
  found = remarks(measurement, fit(), false);
  EXPECT_EQ(found.notes.front().text.find("next run"), std::string::npos) << "the reference cannot be stored";
  measurement.reference = {.throughput = 16};
  for (Sample& sample : measurement.samples) sample.probe.memory = 20;
  EXPECT_EQ(codes(remarks(measurement).notes), "no_reference") << "the first cold point";
  for (Sample& sample : measurement.samples) sample.probe = {};
  EXPECT_EQ(codes(remarks(measurement).notes), "") << "no sample was probed";
}

// Tests the note library_lacks_kernels. A row gets this note if a newer release of ISA-L has a faster kernel for the row and the
// CPU than the loaded ISA-L has. No other row may get this note.

const std::vector<std::string> with_gfni{"sse2", "avx2", "gfni", "avx512f", "avx512bw", "avx512vl"};
const std::vector<std::string> with_avx512{"sse2", "avx2", "avx512f", "avx512bw", "avx512vl"};
const LibrarySymbols old_isal{"libisal.so.2.0.30", {"ec_encode_data_avx512"}};
const LibrarySymbols new_isal{"libisal.so.2.0.32",
                              {"ec_encode_data_avx512_gfni", "ec_encode_data_avx2_gfni", "ec_encode_data_avx512"}};

TEST(MissingKernels, OfAnOldLibraryAreNamedWithTheRemedyForTheBestInstructionsOfTheCpu) {
  const auto note = missing_kernels(old_isal, "ec_encode_data_avx512, xor_gen_avx512", "native", with_gfni);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->code, "library_lacks_kernels");
  for (const char* word : {"libisal.so.2.0.30", "GFNI", "2.31", "fetch-isal.sh 2.32", "--codec-lib"}) {
    EXPECT_NE(note->text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(note->text.find('\n'), std::string::npos);
  const auto without_avx512 = missing_kernels(old_isal, "ec_encode_data_avx2", "native", std::vector<std::string>{"avx2", "gfni"});
  ASSERT_TRUE(without_avx512);
  EXPECT_NE(without_avx512->text.find("GFNI and AVX2"), std::string::npos);
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
