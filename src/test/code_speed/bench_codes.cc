// The program of make bench-codes. It measures codes that are built on other codes. It compares them with a simple implementation
// that computes the same chunks, and with a plain code.

#include <cstdio>
#include <exception>

#include "race.h"
#include "test/directories.h"

namespace {

void run_all() {
  ecbench::Registry registry(ecbench::plugin_directory(), [](const std::string&) {});
  std::printf(
      "GB/s of the object; ratio: speed over that of the first line, medians of interleaved rounds by CPU time, 95 %% intervals\n");
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
