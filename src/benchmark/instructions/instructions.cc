#include "benchmark/instructions/instructions.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <map>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/instructions/single_step.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/placements.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

std::vector<ObjectInstructions> by_object(const std::map<std::uintptr_t, std::int64_t>& at) {
  const std::vector<LoadedObject> loaded = loaded_objects();
  std::map<std::string, ObjectInstructions> objects;
  for (const auto& [address, count] : at) {
    Dl_info info{};
    link_map* map = nullptr;
    const bool known = dladdr1(reinterpret_cast<const void*>(address), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
    const auto found = known && map != nullptr ? std::ranges::find(loaded, map->l_addr, &LoadedObject::base) : loaded.end();
    const std::string path = found == loaded.end() ? "" : found->path;
    const std::uintptr_t base = found == loaded.end() ? 0 : found->base;
    ObjectInstructions& object = objects[path];
    object.path = path;
    object.at.emplace_back(address - base, count);
  }
  std::vector<ObjectInstructions> list;
  for (auto& [path, object] : objects) list.push_back(std::move(object));
  return list;
}

}  // namespace

InstructionCount count_instructions(const Point& point, const EncodedObject& object, const Workload& workload,
                                    std::uint64_t iterations) {
  if (runs_under_valgrind()) {
    throw Error("--count-instructions is not allowed under valgrind: run ecbench without valgrind, or use callgrind's count");
  }
  const Placements placements(object, 1, 1, workload_named(point.workload).objects_per_iteration);
  const Objects objects = placements.objects(0, 0);
  const StepCount count = count_steps([&](std::uint64_t n) { workload.run(objects, 0, n); }, iterations);
  // The results are in the memory of the forked process that was counted, so the same iterations run again here and are checked.
  workload.poison_results(*objects.front());
  workload.run(objects, 0, iterations);
  for (const EncodedObject* each : objects) workload.check_results(*each);
  if (!workload_named(point.workload).is_reference_loop) workload.prove_first(*objects.front(), iterations);
  return {.iterations = iterations,
          .instructions = count.instructions,
          .repetitions = count.repetitions,
          .objects = by_object(count.at)};
}

}  // namespace ecbench
