// A workload that runs on threads of its own while another one is measured.

#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/pace/clock.h"
#include "benchmark/point/point.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// 80% or 500
std::string text_of(const Pace& pace);

/// repair or repair@52428800
std::string text_of(const Background& background);

/// The point of the background: the same code and object, which comes from memory. point.background must be present.
Point background_point(const Point& point);

/// Throws Error if the code cannot run the background of `point`. `chunk_size_bytes`: in one stripe, 0 if it is not known yet.
void check_background(const Point& point, const ErasureCode& code, std::size_t chunk_size_bytes);

/// Calls operate(0), operate(1), … until `stop` is set: as soon as possible, or not earlier than interval_ns after the last call
/// was due. Calls that are late are not made up for. Returns their number.
std::uint64_t run_background(const std::atomic<bool>& stop, const PaceClock& clock, double first_due_ns,
                             std::optional<double> interval_ns, const std::function<void(std::uint64_t)>& operate);

class BackgroundWork {
 public:
  /// Encodes and verifies `object`, and makes the workload. check_background() must be called before. Throws Error.
  BackgroundWork(const Point& point, const ErasureCode& code, std::span<const std::uint8_t> object);
  ~BackgroundWork();

  const EncodedObject& object() const { return *object_; }
  const Workload& workload() const { return *workload_; }

  /// Returns when all threads run the workload. Throws Error.
  void start();
  /// Also checks the results. Throws Error (wrong_bytes). Returns the bytes per second since start(), counted as the rate.
  double stop();

 private:
  void run();
  double bytes_per_operation() const;

  Point point_;
  Background settings_;
  std::unique_ptr<const EncodedObject> object_;
  std::unique_ptr<const Workload> workload_;
  cpu_set_t allowed_{};  // of the thread of the constructor, before a measurement pins it
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> operations_ = 0;
  PaceClock clock_ = monotonic_clock();
  std::int64_t begin_ns_ = 0;
  std::promise<void> ready_;
  std::future<void> ended_;  // last, because its destructor waits for the threads
};

}  // namespace ecbench
