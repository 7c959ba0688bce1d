#include "benchmark/workloads/workload.h"

#include "benchmark/erasures/erasures.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

// clang-format off
constexpr WorkloadDescriptor descriptors[] = {
#define WORKLOAD(NAME, ...) {.name = #NAME __VA_OPT__(, ) __VA_ARGS__, .make = make_##NAME##_workload},
#include "benchmark/workloads/workloads.inc"
#undef WORKLOAD
};
// clang-format on

}  // namespace

ReadSet whole_chunks(const ErasureCode& code, const Positions& positions) {
  ReadSet reads;
  for (const int position : positions) reads[position] = {{0, code.sub_chunk_count()}};
  return reads;
}

void Workload::prove(Objects objects) const {
  for (const EncodedObject* object : objects) prove_first(*object, 1);
}

void Workload::prove_first(const EncodedObject& object, std::uint64_t) const {
  const EncodedObject* const only = &object;
  poison_results(object);
  run({&only, 1}, 0, 1);
  check_results(object);
}

Extras extras_of(const WorkloadDescriptor& workload, const Point& point) {
  return {.changed_chunks = point.changed_chunks, .recomputes_coding = workload.recomputes_coding};
}

std::vector<LostChunk> repaired_chunks(const ErasureCode& code, const Point& point) {
  if (workload_named(point.workload).losses != Losses::one) return {};
  return lost_chunks(code, point).chunks;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const WorkloadDescriptor& descriptor : descriptors) names.emplace_back(descriptor.name);
  return names;
}

const WorkloadDescriptor& workload_named(const std::string& name) {
  for (const WorkloadDescriptor& descriptor : descriptors) {
    if (name == descriptor.name) return descriptor;
  }
  throw Error("--workload " + name + " is unknown");
}

std::string kernels_text(const Workload& workload, const ErasureCode& code) { return joined(workload.kernels(info_of(code))); }

std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object) {
  return workload_named(point.workload).make(point, object);
}

}  // namespace ecbench
