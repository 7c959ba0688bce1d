// Open-loop measurements on an invented clock, and the background in threads of its own.

#include "benchmark/pace/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "test/benchmark/prepared_workload.h"
#include "test/coded_object.h"

namespace ecbench {
namespace {

constexpr std::int64_t ms = 1'000'000;

class InventedClock {
 public:
  PaceClock clock() {
    return {.now_ns = [this] { return now; }, .sleep_until_ns = [this](std::int64_t time) { now = std::max(now, time); }};
  }
  std::int64_t now = 5000 * ms;
};

/// 1000 operations, one every millisecond from 10 ms on. Operation i takes duration(i).
PacedLog run_with(const std::function<std::int64_t(std::uint64_t)>& duration) {
  InventedClock invented;
  const Schedule schedule{.begin_ns = invented.now + 10 * ms, .count = 1000, .interval_ns = 1e6};
  PacedLog log(schedule);
  run_paced(
      schedule, invented.clock(), [&](std::uint64_t number) { invented.now += duration(number); }, log);
  return log;
}

Paced paced(const PacedLog& log) {
  const Schedule schedule{.begin_ns = 5010 * ms, .count = 1000, .interval_ns = 1e6};
  return paced_of(1000, {&schedule, 1}, {&log, 1});
}

// Operation 100 takes 200 ms, and each other operation takes 0.5 ms. Operation 100 starts at its due time, which is time 0 in this
// comment. Operation 100 + i is due at i ms, waits for the end of the previous one, and ends at 200 + 0.5 i ms: its latency is 200
// - 0.5 i ms. From i = 399 on, no operation has to wait. Counted from the starts, p99 would be 0.5 ms.
TEST(Pace, OperationsBehindASlowOneCountFromTheirDueTimes) {
  const PacedLog log = run_with([](std::uint64_t number) { return number == 100 ? 200 * ms : ms / 2; });
  for (std::uint64_t i = 0; i < 399; i++) EXPECT_EQ(log.latency_ns[100 + i], 200 * ms - static_cast<std::int64_t>(i) * ms / 2);
  EXPECT_EQ(log.latency_ns[99], ms / 2);
  EXPECT_EQ(log.latency_ns[500], ms / 2);
  // 399 latencies are above 0.5 ms. The p95 is the 51st largest value.
  const Paced found = paced(log);
  EXPECT_EQ(found.percentile_ns(500), ms / 2);
  EXPECT_EQ(found.percentile_ns(950), 200 * ms - 50 * ms / 2);
  EXPECT_EQ(found.percentile_ns(990), 200 * ms - 10 * ms / 2);
}

// workloads_scene.py has operations that do not start in time.
TEST(Pace, TheFirstOperationAlwaysStarts) {
  EXPECT_EQ(run_with([](std::uint64_t) { return 5000 * ms; }).finished, 1U);
}

TEST(Pace, APercentileNeedsTenValuesAboveIt) {
  Paced found{.latency_ns = std::vector<std::int64_t>(999)};
  EXPECT_EQ(found.percentile_ns(990), std::nullopt);
  found.latency_ns.resize(1000);
  std::iota(found.latency_ns.begin(), found.latency_ns.end(), 1);
  EXPECT_EQ(found.percentile_ns(500), 500);
  EXPECT_EQ(found.percentile_ns(990), 990);
  EXPECT_EQ(Paced{}.percentile_ns(500), std::nullopt);
}

TEST(Pace, ThreadsAlternateAndTheTimeIsEnoughForPercentilesAndWithinItsBounds) {
  const Sampling sampling{.min_seconds = 2, .max_seconds = 10};
  const Schedule second = schedule_of(sampling, 1000, 4, 1, 7 * ms);
  EXPECT_EQ(second.count, 500U);
  EXPECT_EQ(second.due_ns(0), 8 * ms);
  EXPECT_EQ(second.due_ns(1), 12 * ms);
  for (const auto& [rate, count] : {std::pair(10'000.0, 20'000U), {200.0, 1000U}, {50.0, 500U}, {0.001, 1U}, {1e9, 1U << 22}}) {
    EXPECT_EQ(schedule_of(sampling, rate, 1, 0, 0).count, count) << rate;
  }
}

/// Times at which the background starts, from 0 on. Each operation takes `duration`. Ends after 100 ms.
std::vector<std::int64_t> starts(std::optional<double> interval_ns, const std::function<std::int64_t(std::uint64_t)>& duration) {
  InventedClock invented;
  invented.now = 0;
  std::atomic<bool> stop = false;
  std::vector<std::int64_t> found;
  const std::uint64_t count = run_background(stop, invented.clock(), 0, interval_ns, [&](std::uint64_t number) {
    EXPECT_EQ(number, found.size());
    found.push_back(invented.now);
    invented.now += duration(number);
    stop = invented.now >= 100 * ms;
  });
  EXPECT_EQ(count, found.size());
  return found;
}

TEST(Background, RunsAtItsRateAndDoesNotMakeUpForDelays) {
  const auto slow = [](std::uint64_t number) { return number == 1 ? 50 * ms : 2 * ms; };
  EXPECT_EQ(starts(30e6, slow), (std::vector<std::int64_t>{0, 30 * ms, 80 * ms, 110 * ms}));
  EXPECT_EQ(starts(std::nullopt, [](std::uint64_t) { return 40 * ms; }), (std::vector<std::int64_t>{0, 40 * ms, 80 * ms}));
}

// wrong_bytes_scene.py and workloads_scene.py have the other workloads.
TEST(Background, RunsWhileAnotherWorkloadIsMeasured) {
  for (const auto& [plugin, parameters, workload] :
       {std::tuple("isa", "k=4 m=2", "memcpy"), {"clay", "k=4 m=2 d=5", "repair"}, {"lrc", "k=4 m=2 l=3", "repair"}}) {
    SCOPED_TRACE(plugin);
    const auto code = test::make_code(plugin, parameters);
    Point point{.plugin = plugin, .workload = "encode", .size_bytes = 100'000, .threads = 2};
    point.sampling = {.min_seconds = 0.01, .max_seconds = 0.05, .placements = 2};
    point.background = Background{.workload = workload, .bytes_per_s = 50'000'000, .cpus = {0}};
    if (point.background->workload == "repair") {
      point.workload = "decode";
      point.erasures = 1;
      point.pace = Pace{.amount = 50, .is_percent = true};
    }
    const test::PreparedWorkload prepared(*code, point);
    check_background(point, *code, prepared.object.chunk_size_bytes());
    BackgroundWork background(point, *code, random_object(point.size_bytes, 1)),
        only(point, *code, random_object(point.size_bytes, 2));
    only.start();  // next to a measurement, it may get no CPU
    while (only.operations() == 0) std::this_thread::yield();
    EXPECT_GT(only.stop(), 0);
    const Measurement measured = prepared.measured(&background);
    EXPECT_FALSE(measured.samples.empty());
    EXPECT_GE(measured.background_bytes_per_s, 0);
    ASSERT_EQ(measured.paced.has_value(), point.pace.has_value());
    if (!measured.paced) continue;
    EXPECT_EQ(measured.samples.size(), 1U);
    EXPECT_GE(measured.paced->latency_ns.size(), measured.paced->finished);
    EXPECT_GT(measured.paced->operations_per_s, 0);
  }
}

}  // namespace
}  // namespace ecbench
