#include "race.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "benchmark/sampling/statistics.h"

namespace ecbench {
namespace {

constexpr int rounds = 101;
constexpr double turn_seconds = 2e-3;

/// CPU time of this thread. Wall clock time would also include the time of other programs on the same CPU.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Way& way, int iterations) {
  const double begin = cpu_seconds();
  for (int i = 0; i < iterations; i++) way.run();
  return cpu_seconds() - begin;
}

}  // namespace

void run_race(const Race& race) {
  std::vector<int> iterations;
  for (const Way& way : race.ways) {
    int& count = iterations.emplace_back(1);
    while (seconds_of(way, count) < turn_seconds) count *= 2;
  }
  const std::size_t ways = race.ways.size();
  std::vector<std::vector<double>> seconds(ways);  // seconds[way][round] is the time for one object
  for (std::size_t round = 0; round < rounds; round++) {
    for (std::size_t turn = 0; turn < ways; turn++) {
      const std::size_t way = (round + turn) % ways;
      seconds[way].push_back(seconds_of(race.ways[way], iterations[way]) / iterations[way]);
    }
  }
  std::printf("%s\n", race.title.c_str());
  for (std::size_t way = 0; way < ways; way++) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; round++) ratios.push_back(seconds[0][round] / seconds[way][round]);
    const double ratio = median(ratios);
    const Interval interval = median_interval(ratios, 0.95);
    const double aim = race.ways[way].aim;
    std::printf("  %-46s%7.2f GB/s  ratio %.3f (%.3f to %.3f)", race.ways[way].name.c_str(),
                1e-9 * static_cast<double>(race.object_size_bytes) / median(seconds[way]), ratio, interval.low, interval.high);
    if (aim > 0) std::printf("  aim %.2f %s", aim, ratio >= aim ? "reached" : "missed");
    std::printf("\n");
  }
}

}  // namespace ecbench
