// Threads that run the operations of clients, due at scheduled times (open loop) or when the previous one has ended (closed loop,
// without a rate). Latency counts from the due time; from the start, it would miss the time that operations wait behind a slow one
// (coordinated omission).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmark/mixed/clock.h"

namespace ecbench {

/// Due times of one thread in nanoseconds; begin_ns, end_ns and last_start_ns are times of the MixedClock.
struct Schedule {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;            ///< no operation is due at this time or later
  std::int64_t last_start_ns = 0;     ///< no operation starts at this time or later; must not be less than end_ns
  std::optional<double> interval_ns;  ///< open loop: the time between two due times; absent: closed loop
  double first_due_ns = 0;  ///< due time of operation 0, minus begin_ns; differs between threads, so that the threads alternate

  /// Operations due before end_ns; 0 without interval_ns.
  std::uint64_t count() const;
  /// interval_ns must be present.
  std::int64_t due_ns(std::uint64_t number) const;
};

/// Index i is operation number i of this thread.
struct ForegroundLog {
  /// Writes to each page, so that operations allocate nothing.
  explicit ForegroundLog(std::uint64_t most_operations);

  /// From its due time to its end or, if an operation did not start in time (unfinished), to ended_ns: a lower bound.
  std::vector<std::int64_t> latency_ns;
  /// Finished operations: from the earliest possible start (due, and the previous one has ended) to the end.
  std::vector<std::int64_t> busy_ns;
  std::uint64_t finished = 0;
  std::uint64_t finished_in_window = 0;  ///< operations that ended at end_ns or earlier
  std::int64_t ended_ns = 0;             ///< when the last operation of the thread ended
  std::int64_t longest_busy_ns = 0;
  double cpu_seconds = 0;

  std::uint64_t unfinished() const { return latency_ns.size() - finished; }
};

/// Operations of a thread; latency_ns and busy_ns then take 64 MiB.
inline constexpr std::uint64_t most_foreground_operations = std::uint64_t{1} << 22;

/// Calls operate(0), operate(1), … at the due times of the operations, or as soon as possible after them.
/// - Open loop (with interval_ns): runs the first schedule.count() operations, but starts none at last_start_ns or later.
/// - Closed loop (without interval_ns): starts no operation at end_ns or later.
/// In both cases, the function also returns when the reserved memory of `log` is full.
void run_foreground(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                    ForegroundLog& log);

/// A stall takes at least shortest_stall_ns and stall_factor times the median. An operation of 20 ms that shares its CPU with one
/// thread ends within 50 ms.
inline constexpr std::int64_t shortest_stall_ns = 50'000'000;
inline constexpr std::int64_t stall_factor = 20;

/// The longest operation in nanoseconds, if it was a stall.
std::optional<std::int64_t> stall_of(const ForegroundLog& log);

}  // namespace ecbench
