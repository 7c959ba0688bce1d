// A workload: what is timed. It owns what it works on, prepared and checked before the clock starts, so that run() holds calls of
// the code and nothing else. To add one, write its file and name it in workload.cc.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/encoded_object.h"
#include "benchmark/point.h"

namespace ecbench {

class Workload {
 public:
  virtual ~Workload() = default;

  /// Does the work `iterations` times, allocating nothing. This is what the clock holds.
  virtual void run(std::uint64_t iterations) = 0;

  /// Makes the results of the run to come recognisable: overwrites what it must write.
  virtual void poison_results() = 0;

  /// Compares what run() left with the truth. Throws Error (wrong_bytes).
  virtual void check_results() const = 0;

  virtual std::uint64_t operations_per_iteration() const { return 1; }
  /// Erasure patterns visited in turn, 0 if the workload loses nothing.
  virtual std::uint64_t patterns() const { return 0; }
  virtual std::uint64_t unrecoverable() const { return 0; }
  /// One line that the user should read though it is no error; "" if there is none.
  virtual std::string note() const { return ""; }
  /// The erasure patterns, for `--verbose`.
  virtual std::vector<Positions> erased() const { return {}; }
};

/// The names of all workloads.
std::vector<std::string> workload_names();

/// The workload that `point` names, on `object`, which must outlive it. Throws Error for an unknown name or what it cannot do.
std::unique_ptr<Workload> make_workload(const Point& point, const EncodedObject& object);

/// One function per workload's file.
std::unique_ptr<Workload> make_encode_workload(const Point& point, const EncodedObject& object);
std::unique_ptr<Workload> make_decode_workload(const Point& point, const EncodedObject& object);

}  // namespace ecbench
