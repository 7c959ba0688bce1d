// The foreground of a mixed measurement: threads that run the operations of clients. If the operations have a rate, each operation
// is due at a scheduled time, which does not depend on when earlier operations end (open loop). If they have no rate, each
// operation is due when the operation before it has ended (closed loop). The latency of an operation is measured from its due time.
// If it were measured from the start of the operation, the percentiles would not include the time for which clients wait: a slow
// operation delays the start of the operations after it (coordinated omission).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmark/mixed/clock.h"

namespace ecbench {

/// The due times of the operations of one thread. All values are in nanoseconds. begin_ns, end_ns and last_start_ns are times of
/// the MixedClock.
struct Schedule {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;            ///< no operation is due at this time or later
  std::int64_t last_start_ns = 0;     ///< no operation starts at this time or later; must not be less than end_ns
  std::optional<double> interval_ns;  ///< open loop: the time between two due times; absent: closed loop
  double first_due_ns = 0;  ///< due time of operation 0, minus begin_ns; differs between threads, so that the threads alternate

  /// The number of operations that are due before end_ns; 0 if interval_ns is absent.
  std::uint64_t count() const;
  /// The time at which operation `number` is due. interval_ns must be present.
  std::int64_t due_ns(std::uint64_t number) const;
};

/// The latencies of one thread. In both vectors, the value of operation number i has the index i.
struct ForegroundLog {
  /// Reserves memory for `most_operations` operations and writes to each page of it, so that no memory is allocated while the
  /// operations run.
  explicit ForegroundLog(std::uint64_t most_operations);

  /// The time between the due time of an operation and its end. An operation that did not start in time is unfinished. For an
  /// unfinished operation, this is the time between its due time and ended_ns, which is a lower bound of the latency.
  std::vector<std::int64_t> latency_ns;
  /// Only for finished operations: the time between the earliest possible start of an operation and its end. The operation can
  /// start as soon as it is due and the operation before it has ended.
  std::vector<std::int64_t> busy_ns;
  std::uint64_t finished = 0;
  std::uint64_t finished_in_window = 0;  ///< operations that ended at end_ns or earlier
  std::int64_t ended_ns = 0;             ///< when the last operation of the thread ended
  std::int64_t longest_busy_ns = 0;
  double cpu_seconds = 0;

  std::uint64_t unfinished() const { return latency_ns.size() - finished; }
};

/// The largest number of operations of a thread. With this number, latency_ns and busy_ns take 64 MiB together.
inline constexpr std::uint64_t most_foreground_operations = std::uint64_t{1} << 22;

/// Calls operate(0), operate(1), … at the due times of the operations, or as soon as possible after them.
/// - Open loop (with interval_ns): runs the first schedule.count() operations, but starts none at last_start_ns or later.
/// - Closed loop (without interval_ns): starts no operation at end_ns or later.
/// In both cases, the function also returns when the reserved memory of `log` is full.
void run_foreground(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                    ForegroundLog& log);

/// An operation is a stall if it took at least shortest_stall_ns, and also at least stall_factor times as long as the median
/// operation. Example: an operation needs 20 ms of CPU time and shares its CPU with one other thread. It ends within 50 ms, so it
/// is not a stall.
inline constexpr std::int64_t shortest_stall_ns = 50'000'000;
inline constexpr std::int64_t stall_factor = 20;

/// The time of the longest operation in nanoseconds; absent if this operation was not a stall.
std::optional<std::int64_t> stall_of(const ForegroundLog& log);

}  // namespace ecbench
