// Tests the mixed measurement. Tests that need a clock use FakeClock, a simulated clock. Only MixedThreads uses real threads and
// the real clock.

#include "benchmark/mixed/mixed.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/mixed/jobs.h"
#include "benchmark/mixed/scrub_job.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "report/mixed_report.h"
#include "test/directories.h"
#include "test/faulty_codes.h"

namespace ecbench {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t second = 1000 * ms;

class FakeClock : public MixedClock {
 public:
  std::int64_t now_ns() override { return now; }
  void sleep_until_ns(std::int64_t time_ns) override { now = std::max(now, time_ns); }
  std::int64_t now = 5 * second;
};

/// A window of one second. It begins 10 ms after the current time of `clock`. The drain after the window lasts 100 ms.
Schedule schedule_at(const FakeClock& clock, std::optional<double> interval_ns) {
  const std::int64_t begin = clock.now + 10 * ms;
  return {.begin_ns = begin, .end_ns = begin + second, .last_start_ns = begin + second + 100 * ms, .interval_ns = interval_ns};
}

/// Runs the operations of `schedule`. Operation number i advances the clock by duration(i).
ForegroundLog run_with(FakeClock& clock, const Schedule& schedule, const std::function<std::int64_t(std::uint64_t)>& duration) {
  ForegroundLog log(100'000);
  run_foreground(
      schedule, clock, [&](std::uint64_t number) { clock.now += duration(number); }, log);
  return log;
}

std::vector<std::int64_t> ascending(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values;
}

TEST(MixedForeground, LatencyOfAnIdleThreadIsTheDurationOfTheOperation) {
  FakeClock clock;
  const ForegroundLog log =
      run_with(clock, schedule_at(clock, 1 * ms), [](std::uint64_t number) { return number < 980 ? 300'000 : 900'000; });
  ASSERT_EQ(log.latency_ns.size(), 1000U);
  EXPECT_EQ(log.finished_in_window, 1000U);
  const std::vector<std::int64_t> latencies = ascending(log.latency_ns);
  EXPECT_EQ(percentile(latencies, 500), 300'000);
  EXPECT_EQ(percentile(latencies, 950), 300'000);
  EXPECT_EQ(percentile(latencies, 990), 900'000);
  EXPECT_EQ(stall_of(log), std::nullopt);
}

// Operation 100 takes 200 ms, and each other operation takes 0.5 ms. Operation 100 starts at its due time, which is time 0 in this
// comment. Operation 100 + i is due at i ms. It must wait for the end of the previous operation, which is at 200 + 0.5 (i - 1) ms.
// It ends at 200 + 0.5 i ms, so its latency is 200 - 0.5 i ms. From i = 399 on, no operation has to wait.
TEST(MixedForeground, AStalledThreadIsInThePercentiles) {
  FakeClock clock;
  const ForegroundLog log =
      run_with(clock, schedule_at(clock, 1 * ms), [](std::uint64_t number) { return number == 100 ? 200 * ms : ms / 2; });
  ASSERT_EQ(log.latency_ns.size(), 1000U);
  EXPECT_EQ(log.unfinished(), 0U);
  for (std::uint64_t i = 0; i < 399; i++) EXPECT_EQ(log.latency_ns[100 + i], 200 * ms - static_cast<std::int64_t>(i) * ms / 2);
  EXPECT_EQ(log.latency_ns[99], ms / 2);
  EXPECT_EQ(log.latency_ns[500], ms / 2);
  // 399 of the 1000 latencies are above 0.5 ms: 200, 199.5, 199 … 1 ms. The median is the 500th smallest value. The p95 is the
  // 950th smallest value, so it is the 51st largest value.
  const std::vector<std::int64_t> latencies = ascending(log.latency_ns);
  EXPECT_EQ(percentile(latencies, 500), ms / 2);
  EXPECT_EQ(percentile(latencies, 950), 200 * ms - 50 * ms / 2);
  EXPECT_EQ(percentile(latencies, 990), 200 * ms - 10 * ms / 2);
  EXPECT_EQ(stall_of(log), 200 * ms);
  const Remarks remarks = mixed_warnings({.stall_ns = stall_of(log), .stalled_thread = 3});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks.front().code, "foreground_stalled");
  EXPECT_NE(remarks.front().text.find("thread 3 finished no operation for 200 ms"), std::string::npos);
}

// Each operation takes 2 ms, but an operation is due every ms. The window lasts 1000 ms, and the drain after it lasts 100 ms. In
// these 1100 ms, operations 0 to 549 start, and operations 550 to 999 do not start.
TEST(MixedForeground, AnOperationThatDoesNotStartHasItsWaitAsLatency) {
  FakeClock clock;
  const ForegroundLog log = run_with(clock, schedule_at(clock, 1 * ms), [](std::uint64_t) { return 2 * ms; });
  EXPECT_EQ(log.latency_ns.size(), 1000U);
  EXPECT_EQ(log.finished_in_window, 500U);
  EXPECT_EQ(log.finished, 550U);
  EXPECT_EQ(log.unfinished(), 450U);
  EXPECT_EQ(log.latency_ns[549], 1100 * ms - 549 * ms);
  EXPECT_EQ(log.latency_ns[550], 1100 * ms - 550 * ms);
  EXPECT_EQ(log.latency_ns[999], 1100 * ms - 999 * ms);
  const Remarks remarks = mixed_warnings({.foreground = {.operations = 1000, .unfinished = 450}});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks.front().code, "foreground_unfinished");
  EXPECT_TRUE(remarks.front().text.starts_with("450 of 1000 operations"));
}

TEST(MixedForeground, WithoutARateEachOperationBeginsWhenThePreviousOneHasEnded) {
  FakeClock clock;
  const ForegroundLog log = run_with(clock, schedule_at(clock, std::nullopt), [](std::uint64_t) { return 3 * ms; });
  EXPECT_EQ(log.finished, 334U);
  EXPECT_EQ(log.finished_in_window, 333U);
  EXPECT_EQ(ascending(log.latency_ns).back(), 3 * ms);
  ForegroundLog full(10);
  run_foreground(
      schedule_at(clock, std::nullopt), clock, [&](std::uint64_t) { clock.now += ms; }, full);
  EXPECT_EQ(full.finished, 10U);
}

TEST(MixedForeground, TheThreadsOperationsAlternate) {
  Schedule first{.begin_ns = 0, .end_ns = 10 * ms, .last_start_ns = 10 * ms, .interval_ns = 4.0 * ms};
  Schedule second_thread = first;
  second_thread.first_due_ns = 2.0 * ms;
  EXPECT_EQ(first.count(), 3U);          // due after 0, 4 and 8 ms
  EXPECT_EQ(second_thread.count(), 2U);  // due after 2 and 6 ms; an operation at 10 ms would be after the window
  EXPECT_EQ(second_thread.due_ns(1), 6 * ms);
}

TEST(MixedLatency, APercentileNeedsTenValuesAboveIt) {
  for (const auto& [per_mille, fewest] : {std::pair{500, 20}, {900, 100}, {950, 200}, {990, 1000}, {999, 10000}}) {
    EXPECT_TRUE(has_percentile(static_cast<std::size_t>(fewest), per_mille));
    EXPECT_FALSE(has_percentile(static_cast<std::size_t>(fewest) - 1, per_mille));
  }
  std::vector<std::int64_t> values(1000);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(percentile(values, 500), 500);
  EXPECT_EQ(percentile(values, 990), 990);
  EXPECT_EQ(percentile(values, 999), std::nullopt);
  EXPECT_EQ(percentile({}, 500), std::nullopt);
}

TEST(MixedLatency, TheHistogramCountsEveryValueWithinAPercent) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value < 1'000'000'000'000; value += value / 7 + 1) values.push_back(value);
  std::size_t index = 0;
  for (const LatencyBucket& bucket : latency_histogram(values)) {
    for (std::uint64_t i = 0; i < bucket.count; i++, index++) {
      EXPECT_NEAR(bucket.middle_ns / static_cast<double>(values[index]), 1, 0.0055);
    }
  }
  EXPECT_EQ(index, values.size());
}

TEST(MixedTokenBucket, ReleasesTheRateAndOneBurst) {
  TokenBucket bucket(1000, 100, 0);
  std::int64_t now = 0;
  std::int64_t bytes = 0;
  while (now <= 10 * second) {
    EXPECT_LE(bytes, 100 + now / ms);  // the limit is one burst, plus the rate times the elapsed time
    now = *bucket.take(50, now);
    bytes += 50;
  }
  EXPECT_EQ(bytes, 100 + 10'000 + 50);
}

TEST(MixedTokenBucket, SavesAtMostOneBurst) {
  TokenBucket bucket(1000, 100, 0);
  EXPECT_EQ(bucket.take(100, 60 * second), 60 * second);
  EXPECT_EQ(bucket.take(100, 60 * second), 60 * second + 100 * ms);
}

TEST(MixedTokenBucket, ReleasesNothingAtRateZeroAndEverythingWithoutARate) {
  TokenBucket none(0, 100, 0);
  EXPECT_EQ(none.take(1, second), std::nullopt);
  TokenBucket unlimited(std::nullopt, 100, 0);
  for (int i = 0; i < 1000; i++) EXPECT_EQ(unlimited.take(1e9, second), second);
}

TEST(MixedBackground, RepairsAtTheGivenRateUntilItIsStopped) {
  for (const double rate : {0.0, 1000.0, 4000.0}) {
    FakeClock clock;
    const Window window{clock.now, clock.now + second};
    TokenBucket bucket(rate, 100, window.begin_ns);
    BackgroundLog log;
    std::atomic<bool> stop = false;
    run_background(
        window, stop, clock, bucket, 100,
        [&](std::uint64_t) {
          clock.now += ms;
          stop = clock.now > window.end_ns + second / 2;
        },
        log);
    EXPECT_NEAR(static_cast<double>(log.repairs_in_window), rate / 100, rate == 0 ? 0 : 1.01) << rate;
    EXPECT_GE(log.repairs, log.repairs_in_window);
  }
}

TEST(MixedShares, AreParsedAndKept) {
  const Shares shares = parse_shares("--shares", "encode=30,read=70");
  EXPECT_EQ(shares, (Shares{70, 0, 30, 0}));
  EXPECT_EQ(parse_shares("--shares", shares_text(shares)), shares);
  const std::vector<ForegroundKind> order = order_of_kinds(shares, 1);
  EXPECT_EQ(order.size(), 100U);
  EXPECT_EQ(std::ranges::count(order, ForegroundKind::encode), 30);
  EXPECT_EQ(order, order_of_kinds(shares, 1));
  EXPECT_NE(order, order_of_kinds(shares, 2));
  for (const char* bad :
       {"", "read", "read=", "read=101", "read=-1", "read=99", "read=50,read=50", "write=100", "read=100,", "read=1e2"}) {
    EXPECT_THROW(static_cast<void>(parse_shares("--shares", bad)), Error) << bad;
  }
}

/// Runs repairs and all kinds of foreground operations on real threads. The test parameter is a plugin and its parameters.
class MixedThreads : public testing::TestWithParam<std::pair<std::string, std::map<std::string, std::string>>> {};

int first_permitted_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpu++;
  return cpu;
}

MixedSettings short_settings(const Shares& shares) {
  const std::vector<int> cpus{first_permitted_cpu()};
  return {.shares = shares, .repair_rate = 0, .foreground_cpus = cpus, .repair_cpus = cpus, .seconds = 0.2, .pool_bytes = 1 << 18};
}

TEST_P(MixedThreads, EveryResultIsCheckedAndCounted) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  Profile profile(GetParam().second);
  const std::unique_ptr<ErasureCode> code = registry.make(GetParam().first, profile);
  for (const std::size_t stripe_unit : {std::size_t{0}, code->chunk_size(1)}) {
    const EncodedObject object(*code, random_object(20'000, 1), stripe_unit);
    MixedSettings settings = short_settings({25, 25, 25, 25});
    settings.repair_rate = std::nullopt;
    settings.foreground_threads = settings.repair_threads = 2;
    MixedResult result = measure_mixed(object, stripe_unit, settings);
    EXPECT_EQ(result.overwrites_by_delta, code->parity_delta() != nullptr);
    EXPECT_EQ(result.foreground.operations, result.foreground.latency_ns.size());
    std::uint64_t operations = 0;
    for (const ForegroundResult& kind : result.by_kind) operations += kind.operations;
    EXPECT_EQ(operations, result.foreground.operations);
    EXPECT_GT(result.repair_reads, 0);
    settings.background = Background::deep_scrub;
    result = measure_mixed(object, stripe_unit, settings);
    EXPECT_EQ(result.repair_reads, 1);
    EXPECT_GT(result.repaired_chunks, 0U);
    EXPECT_EQ(result.repaired_chunks % static_cast<std::uint64_t>(code->chunk_count()), 0U) << "a scrub checks all chunks";
    settings.repair_rate = 0;
    result = measure_mixed(object, stripe_unit, settings);
    EXPECT_EQ(result.repaired_chunks, 0U);
    EXPECT_EQ(result.repair_cpu_seconds, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, MixedThreads,
                         testing::Values(std::pair{"isa", std::map<std::string, std::string>{{"k", "4"}, {"m", "2"}}},
                                         std::pair{"clay", std::map<std::string, std::string>{{"k", "4"}, {"m", "2"}, {"d", "5"}}},
                                         std::pair{"lrc", std::map<std::string, std::string>{{"k", "4"}, {"m", "2"}, {"l", "3"}}}));

// Only the first 49 encodes of the faulty code are correct. The encodes before the calls of run() do not reach this number, but the
// 60 calls of run() exceed it. run() does not check its results, so only check_used() can detect the wrong bytes.
TEST(MixedJobs, WrongResultsAreDetected) {
  const FaultyCode correct(Fault::none);
  const FaultyCode code(Fault::encodes_wrong_later);
  for (const FaultyCode* tried : {&correct, &code}) {
    const EncodedObject object(*tried, random_object(1000, 1));
    const JobMaterial material(object, 0, {0, 0, 100, 0}, std::nullopt);
    JobRound round(material.make_job(ForegroundKind::encode, 3));
    round.prove_all();
    for (int i = 0; i < 60; i++) round.run();
    if (tried == &correct) {
      round.check_used();
    } else {
      EXPECT_THROW(round.check_used(), Error);
    }
  }
}

/// From its third call on, run() does not write the result of the last of 12 objects.
class StopsWriting : public Job {
 public:
  std::size_t object_count() const override { return correct_.size(); }
  void run(std::size_t object) override {
    if (runs_[object]++ < 2 || object + 1 < correct_.size()) correct_[object] = true;
  }
  void poison(std::size_t object) override { correct_[object] = false; }
  void check(std::size_t object) override {
    if (!correct_[object]) throw Error("object " + std::to_string(object), Error::Kind::wrong_bytes);
  }

 private:
  std::array<bool, 12> correct_{};
  std::array<int, 12> runs_{};
};

TEST(MixedJobs, AResultThatIsNoLongerWrittenIsDetectedOnEveryChunk) {
  JobRound round(std::make_unique<StopsWriting>());
  round.prove_all();
  for (int i = 0; i < 3 * 12; i++) round.run();
  EXPECT_THROW(round.check_used(), Error);
}

TEST(MixedJobs, CorrectResultsPassOnObjectsThatWereUsedOftenAndSeldom) {
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, random_object(1000, 1));
  const JobMaterial material(object, 0, {25, 25, 25, 25}, Background::repair);
  for (const ForegroundKind kind : {ForegroundKind::read, ForegroundKind::degraded_read, ForegroundKind::overwrite}) {
    JobRound round(material.make_job(kind, 4));
    round.prove_all();
    for (int i = 0; i < 11; i++) round.run();
    round.check_used();
  }
}

TEST(MixedJobs, AScrubDetectsEveryDamage) {
  const FaultyCode code(Fault::none);
  const std::size_t chunk = scrub_stride_bytes + 2 * checksum_block_bytes + 5;
  const EncodedObject object(code, random_object(2 * chunk, 1));
  ScrubJob job(object, 1);
  job.run(0);
  job.check(0);
  job.poison(0);
  EXPECT_THROW(job.check(0), Error) << "a scrub that did not run passes";
  for (int position = 0; position < 3; position++) {
    for (const std::size_t place : {std::size_t{0}, checksum_block_bytes - 1, scrub_stride_bytes, chunk - 1}) {
      std::uint8_t& byte = object.chunks().bytes(position)[place];
      EXPECT_TRUE(job.has_checksums(object));
      byte ^= 1;
      EXPECT_FALSE(job.has_checksums(object)) << position << " " << place;
      byte ^= 1;
    }
  }
}

TEST(WindowCpu, StopsAtTheEndOfTheWindow) {
  const auto burn = [](double seconds) {
    for (const double end = thread_cpu_seconds_now() + seconds; thread_cpu_seconds_now() < end;) {
    }
  };
  WindowCpu cpu(1000);
  burn(0.01);
  cpu.add(0, 1000);
  burn(0.01);
  cpu.add(1000, 2000);  // the first operation after the window: 1000 ns are subtracted
  const double until_end = cpu.seconds();
  EXPECT_GE(until_end, 0.0199);
  burn(0.02);
  cpu.add(2000, 3000);
  EXPECT_EQ(cpu.seconds(), until_end) << "work after the window counts";
  WindowCpu overshoot(1000);
  burn(0.001);
  overshoot.add(0, 2'000'000'000);  // the operation took much longer than its CPU time
  EXPECT_EQ(overshoot.seconds(), 0);
  WindowCpu whole(1000);
  burn(0.001);
  EXPECT_GE(whole.seconds(), 0.001) << "the thread ended before the window";
}

}  // namespace
}  // namespace ecbench
