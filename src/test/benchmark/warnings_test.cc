// Warnings and notes about figures.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "benchmark/warnings/remarks.h"
#include "coded_object.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

/// Causes no warning and no note.
Environment fit() {
  Environment environment;
  environment.build.optimised = true;
  environment.cpu.online = {0, 1};
  environment.system.allowed_cpus = {0, 1};
  environment.pinned_cpus = {1};
  return environment;
}

Measurement clean() {
  Measurement measurement{.point = {.size_bytes = 1000}, .sample_iterations = 1, .samples = std::vector<Sample>(40)};
  for (Sample& sample : measurement.samples) sample = {.seconds = 1, .cpu_seconds = 1, .probe = {.throughput = 16}};
  measurement.reference = measurement.undisturbed = {.throughput = 16};
  return measurement;
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

Change disturbed(std::size_t count, Disturbance disturbance) {
  return [=](Measurement& m, Environment&) {
    for (std::size_t i = 0; i < count; i++) m.samples[i].disturbance = disturbance;
  };
}

/// Each sample changes.
Change each(const std::function<void(Sample&)>& change) {
  return [=](Measurement& m, Environment&) { std::ranges::for_each(m.samples, change); };
}

void drift(Measurement& measurement, Environment&) {
  for (std::size_t i = 0; i < 40; i++) measurement.samples[i].seconds = 1 + 0.002 * static_cast<double>(i);
}

void run_threads_in_turn(Measurement& measurement, Environment& environment) {
  measurement.point.threads = environment.threads = 2;
  environment.pinned_cpus = {0, 1};
  for (Sample& sample : measurement.samples) sample.thread_seconds = {0.5, 0.5};
}

TEST(FigureRemarks, AreWarningsOrNotes) {
  using enum Disturbance;
  const auto load = [](Measurement&, Environment& e) { e.system.load_average = {9.0, 9.0, 9.0}; };
  const auto target = [](Measurement& m, Environment&) { m.point.sampling.target_percent = 1; };
  const auto unpinned = [](Measurement&, Environment& e) { e.pinned_cpus.clear(), e.cpu.governor = "powersave"; };
  const auto sanitized = [](Measurement&, Environment& e) { e.build.sanitized = true; };
  const auto throttled = [](Measurement&, Environment& e) { e.during_run = Interference{.throttled_seconds = 0.5}; };
  const auto once = [](Measurement& m, Environment&) { m.point.iterations = 100, m.samples.resize(1); };
  const auto shared = [](Measurement& m, Environment&) {
    m.shared_core = {.throughput = 12, .seconds = 2}, m.undisturbed.throughput = 12;
  };
  const auto faster_before = [](Measurement& m, Environment&) { m.reference.throughput *= 2; };
  const auto first_run = [](Measurement& m, Environment&) { m.reference = {}; };
  const Change cold = each([](Sample& sample) { sample.probe.memory = 20; });
  const Change unprobed = each([](Sample& sample) { sample.probe = {}; });
  const auto plan = [](double seconds) { return [=](Measurement& m, Environment&) { m.plan_ns = seconds * 1e9; }; };
  for (const auto& [changes, warnings, notes, text] :
       std::vector<std::tuple<std::vector<Change>, std::string, std::string, std::string>>{
           {{}, "", "", ""},
           {{drift}, "drift", "", ""},
           {{drift, target}, "drift wide_interval", "", ""},
           {{run_threads_in_turn}, "threads_not_parallel", "", ""},
           {{unpinned}, "", "frequency_governor not_pinned", ""},
           {{sanitized, throttled}, "sanitizer_build throttled", "", ""},
           {{load}, "", "load_average", ""},
           {{load, disturbed(40, cpu_taken)}, "few_clean_samples load_average", "", ""},
           {{disturbed(39, core_shared), disturbed(2, cpu_taken)},
            "few_clean_samples",
            "",
            "1 of 40 (disturbances: a thread waited for its CPU in 2 samples, another hardware thread used the same core in 37"},
           {{disturbed(10, cpu_taken)}, "", "", ""},  // 30 clean samples are enough
           {{once}, "", "", ""},
           {{once, disturbed(1, cpu_taken)}, "few_clean_samples", "", ""},
           {{shared},
            "core_shared",
            "",
            "another hardware thread shares the core; figures are about 25 % below the best seen here;"},
           {{shared, disturbed(40, cpu_taken)}, "few_clean_samples", "", ""},
           {{disturbed(40, core_shared), faster_before}, "few_clean_samples", "", "remove the file ecbench/probe in"},
           {{plan(0.05)}, "", "", ""},
           {{plan(0.051)}, "", "slow_plan", "51000000.0 ns; this is 5.1 % of the time of a call (1000000000.0 ns)"},
           {{first_run}, "", "no_reference", "next run"},
           {{cold}, "", "no_reference", ""},
           {{cold, unprobed}, "", "", ""}}) {
    Measurement measurement = clean();
    Environment environment = fit();
    for (const Change& change : changes) change(measurement, environment);
    FigureRemarks found = remarks(measurement, environment);
    EXPECT_EQ(codes(found.warnings), warnings);
    EXPECT_EQ(codes(found.notes), notes);
    found.warnings.insert(found.warnings.end(), found.notes.begin(), found.notes.end());
    const std::string texts = joined_texts(found.warnings);
    EXPECT_NE(texts.find(text), std::string::npos) << texts;
    EXPECT_TRUE(warnings != "core_shared" || texts.starts_with(text)) << "Python reads these words";
  }
}

TEST(FigureRemarks, DoNotNameTheStoredSpeedWithoutReason) {
  Measurement measurement = clean();
  for (Sample& sample : measurement.samples) sample.disturbance = Disturbance::core_shared;
  EXPECT_EQ(remarks(measurement).warnings.front().text.find("ecbench/probe"), std::string::npos);
  measurement.reference = {};
  EXPECT_EQ(remarks(measurement, fit(), false).notes.front().text.find("next run"), std::string::npos) << "it cannot be stored";
}

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
