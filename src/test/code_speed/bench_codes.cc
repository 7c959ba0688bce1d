// `make bench-codes` runs this program. It measures codes that are built on other codes. It compares each code with a simple
// implementation that computes the same chunks. It also compares clay with plain Reed-Solomon.

#include <cstdio>
#include <exception>

#include "race.h"
#include "test/directories.h"

namespace {

void run_all() {
  ecbench::Registry registry(ecbench::plugin_directory(), [](const std::string&) {});
  std::printf(
      "GB/s: 10^9 bytes of the object per second of CPU time.\n"
      "ratio: the speed divided by the speed in the first line of the same table.\n"
      "Both values are medians of all rounds. The 95 %% confidence interval of the ratio is in parentheses.\n");
  for (const auto& races : {ecbench::lrc_races, ecbench::shec_races, ecbench::clay_races}) {
    for (const ecbench::Race& race : races(registry)) ecbench::run_race(race);
  }
}

}  // namespace

int main() {
  try {
    run_all();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ecbench: %s\n", error.what());
    return 1;
  }
}
