// Measures the overhead of ecbench's own loop. For each point, the output has one line, which compares ecbench's loop with direct
// library calls on the same buffers. The measurement consists of pairs of short time slices. In one slice of a pair, ecbench's loop
// runs; in the other slice, the direct calls run. The order of the two slices changes from pair to pair. Therefore a disturbance
// affects both loops. The addresses of code and buffers affect the speed, and these addresses differ between launches of this
// program. Therefore scripts/studies/bench_overhead.py takes the median of several launches.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bare.h"
#include "benchmark/objects/object.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/registry.h"
#include "test/directories.h"

namespace ecbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int pairs = 60;
constexpr double slice_seconds = 2e-3;
const Positions erased{0, 3};

double seconds_of(auto&& call) {
  const Clock::time_point begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// For each pair of slices, divides the time of the direct calls by the time of ecbench's loop. Returns the median of these ratios.
/// The median is 1 if ecbench's loop has no overhead.
double speed_ratio(const Workload& workload, const EncodedObject& object, const BareLoop& bare) {
  const EncodedObject* const objects[] = {&object};
  const auto ours = [&](std::uint64_t count) { workload.run(objects, 0, count); };
  std::uint64_t iterations = 1;
  while (seconds_of([&] { bare(iterations); }) < slice_seconds) iterations *= 2;
  ours(iterations);
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; pair++) {
    double our_seconds = 0;
    double bare_seconds = 0;
    for (int turn = 0; turn < 2; turn++) {
      if ((pair + turn) % 2 == 0) {
        our_seconds = seconds_of([&] { ours(iterations); });
      } else {
        bare_seconds = seconds_of([&] { bare(iterations); });
      }
    }
    ratios.push_back(bare_seconds / our_seconds);
  }
  return median(ratios);
}

double plan_ns(const ErasureCode& code) {
  std::vector<double> times;
  for (int i = 0; i < 200; i++) times.push_back(seconds_of([&] { code.plan_uncached(erased, erased); }) * 1e9);
  return median(times);
}

void measure_size(Registry& registry, const std::string& plugin, std::size_t size_bytes) {
  Profile profile({{"technique", "reed_sol_van"}, {"k", "6"}, {"m", "2"}});
  const auto code = registry.make(plugin, profile);
  const EncodedObject object(*code, random_object(size_bytes, 1));
  const Point point{.plugin = plugin,
                    .workload = "decode",
                    .size_bytes = size_bytes,
                    .erasures = 2,
                    .erased = erased,
                    .iterations = 1,
                    .seed = 1};
  const bool isa = plugin == "isa";
  const BareLoop encode = isa ? bare_isa_encode(object) : bare_jerasure_encode(object);
  const BareLoop decode = isa ? bare_isa_decode(object, erased) : bare_jerasure_decode(object, erased);
  const double encode_ratio = speed_ratio(*make_encode_workload(point, object), object, encode);
  std::printf("%s encode %zu %.4f 0\n", plugin.c_str(), size_bytes, encode_ratio);
  object.check("bare encoding");
  const double decode_ratio = speed_ratio(*make_decode_workload(point, object), object, decode);
  std::printf("%s decode %zu %.4f %.0f\n", plugin.c_str(), size_bytes, decode_ratio, plan_ns(*code));
  object.check("bare decoding");
}

void measure_all() {
  Registry registry(plugin_directory(), [](const std::string&) {});
  for (const char* plugin : {"jerasure", "isa"}) {
    for (const std::size_t size_bytes : {4096, 131072, 1048576}) measure_size(registry, plugin, size_bytes);
  }
}

}  // namespace
}  // namespace ecbench

int main() {
  try {
    ecbench::measure_all();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ecbench: %s\n", error.what());
    return 1;
  }
}
