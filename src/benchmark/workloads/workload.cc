#include "benchmark/workloads/workload.h"

#include <array>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Workload> (*make)(const Point& point, const EncodedObject& object);
};

constexpr std::array entries{
    Entry{"encode", make_encode_workload}, Entry{"decode", make_decode_workload}, Entry{"repair", make_repair_workload},
    Entry{"limit", make_limit_workload},   Entry{"memcpy", make_memcpy_workload},
};

}  // namespace

ReadSet whole_chunks(const ErasureCode& code, const Positions& positions) {
  ReadSet reads;
  for (const int position : positions) reads[position] = {{0, code.sub_chunk_count()}};
  return reads;
}

void Workload::prove(Objects objects) const {
  for (const EncodedObject* object : objects) {
    poison_results(*object);
    run({&object, 1}, 0, 1);
    check_results(*object);
  }
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object) {
  for (const Entry& entry : entries) {
    if (point.workload == entry.name) return entry.make(point, object);
  }
  throw Error("--workload " + point.workload + " is unknown");
}

}  // namespace ecbench
