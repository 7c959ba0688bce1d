// A workload and the object on which it runs.

#pragma once

#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "benchmark/workloads/workload.h"

namespace ecbench::test {

struct PreparedWorkload {
  /// The object has pseudo-random bytes. `code` must outlive it. Throws Error.
  PreparedWorkload(const ErasureCode& code, Point a_point)
      : point(std::move(a_point)),
        object(code, ecbench::random_object(point.size_bytes, 1), point.stripe_unit_bytes, repaired_chunks(code, point),
               extras_of(workload_named(point.workload), point)),
        workload(make_workload(point, object)) {}
  PreparedWorkload(const PreparedWorkload&) = delete;
  PreparedWorkload& operator=(const PreparedWorkload&) = delete;

  void run(std::uint64_t iterations) const { workload->run(objects, 0, iterations); }
  Measurement measured(BackgroundWork* background = nullptr) const { return measure(point, object, *workload, {}, background); }

  Point point;
  EncodedObject object;
  const EncodedObject* const objects[1]{&object};
  std::unique_ptr<Workload> workload;
};

}  // namespace ecbench::test
