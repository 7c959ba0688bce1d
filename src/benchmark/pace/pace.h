// Operations at given times, with their latencies, and a workload in the background. Tests invent another clock.

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
#include "benchmark/point/point.h"
#include "benchmark/sampling/team.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

struct PaceClock {
  /// Since an unspecified time.
  std::function<std::int64_t()> now_ns;
  /// Not earlier; at once if the time has passed.
  std::function<void(std::int64_t time_ns)> sleep_until_ns;
};

/// CLOCK_MONOTONIC
PaceClock monotonic_clock();

/// Sets the timer slack of this thread to 1 ns. By default, wake-ups are delayed by up to 50 µs to save energy.
void wake_up_exactly();

// Operations that are due at evenly spaced times (open loop). Latency counts from the due time; from the start, it would miss the
// time that operations wait behind a slow one (coordinated omission).

/// Operation `number` of a thread.
using Operation = std::function<void(int thread, std::uint64_t number)>;

/// Due times of one thread; the threads alternate.
struct Schedule {
  std::int64_t begin_ns = 0;
  std::uint64_t count = 1;
  double interval_ns = 0;   ///< between two due times
  double first_due_ns = 0;  ///< after begin_ns

  std::int64_t due_ns(std::uint64_t number) const;
  /// No operation is due at this time or later.
  std::int64_t end_ns() const { return due_ns(count); }
  /// No operation, except the first, starts at this time or later: end_ns() and a tenth of the time before it.
  std::int64_t last_start_ns() const { return end_ns() + (end_ns() - begin_ns) / 10; }
};

/// As many operations, of all threads, as percentiles need, for sampling.min_seconds to sampling.max_seconds.
Schedule schedule_of(const Sampling& sampling, double operations_per_s, int threads, int thread, std::int64_t begin_ns);

/// The latencies of one thread.
struct PacedLog {
  explicit PacedLog(const Schedule& schedule);  ///< writes to each page, so that operations allocate nothing

  /// From the due time to the end of each operation or, if an operation did not start in time, to the last end: a lower bound.
  std::vector<std::int64_t> latency_ns;
  std::uint64_t finished = 0;
  std::int64_t ended_ns = 0;
};

/// Calls operate(0), operate(1), … at their due times, or as soon as possible after them.
void run_paced(const Schedule& schedule, const PaceClock& clock, const std::function<void(std::uint64_t)>& operate, PacedLog& log);

/// The result for all threads.
struct Paced {
  double operations_per_s = 0;  ///< at which operations were due
  double seconds = 0;           ///< until the last operation was due, and all ended
  double cpu_seconds = 0;
  std::uint64_t finished = 0;
  std::vector<std::int64_t> latency_ns;  ///< ascending

  /// Operations that did not start in time. If there are any, percentiles are lower bounds.
  std::uint64_t unfinished() const { return latency_ns.size() - finished; }
  /// Value number ceil(p * n), counted from 1, p = per_mille / 1000; absent unless ten values are above it: 10 / (1 - p) in all.
  std::optional<std::int64_t> percentile_ns(int per_mille) const;
};

Paced paced_of(double operations_per_s, std::span<const Schedule> schedules, std::span<const PacedLog> logs);

/// For a load in percent, first measures the greatest rate (closed loop). Then calls `begin`, and measures the latencies.
Paced measure_paced(const Point& point, Team& team, const PaceClock& clock, const Operation& operate,
                    const std::function<void()>& begin);

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
  std::uint64_t operations() const { return operations_; }  ///< since start()
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
