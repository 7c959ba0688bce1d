#include "benchmark/objects/repair_check.h"

#include "erasure_code/error.h"

namespace ecbench {

void refuse_repair(int lost, const std::string& why) {
  throw Error("the plugin failed in the repair of chunk " + std::to_string(lost) + ": " + why);
}

void check_repair(const LostChunk& lost, const DecodePlan& plan, const EncodedObject& object) {
  for (const int position : plan.reads) {
    if (!lost.reads.contains(position))
      refuse_repair(lost.position, "its plan reads chunk " + std::to_string(position) + ", which the plugin did not request");
  }
  Positions poisoned;
  for (int position = 0; position < object.code().chunk_count(); position++) {
    if (!lost.reads.contains(position)) poisoned.push_back(position);
  }
  object.poison(poisoned);
  object.decode(plan);
  object.check(lost.position, "repairing");
  object.restore(poisoned);
}

}  // namespace ecbench
