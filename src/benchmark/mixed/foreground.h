// The foreground: operations that are due at scheduled times, whether or not earlier ones have ended (open loop). A latency counts
// from the time at which the operation is due. If it counted from the start, a thread that is blocked would start fewer operations
// while they are slow, and the percentiles would miss what clients wait for (coordinated omission).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmark/mixed/clock.h"

namespace ecbench {

/// The operations of one thread. All times are in nanoseconds of the clock.
struct Schedule {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;            ///< no operation is due at this time or later
  std::int64_t last_start_ns = 0;     ///< operations that have not started by then are unfinished; not before end_ns
  std::optional<double> interval_ns;  ///< between operations; absent: each operation is due when the last one has ended
  double first_due_ns = 0;            ///< after begin_ns; the threads' operations alternate

  /// The number of operations if there is an interval.
  std::uint64_t count() const;
  /// The time at which operation `number` is due if there is an interval.
  std::int64_t due_ns(std::uint64_t number) const;
};

/// The latencies of one thread. Operation number i is at index i.
struct ForegroundLog {
  /// Reserves and touches memory for `most_operations`, so that none is allocated while the thread runs.
  explicit ForegroundLog(std::uint64_t most_operations);

  std::vector<std::int64_t>
      latency_ns;                     ///< from due to end; unfinished operations: from due to the end of the thread, a lower bound
  std::vector<std::int64_t> busy_ns;  ///< finished operations: from when it could start (due, and the last one ended) to its end
  std::uint64_t finished = 0;
  std::uint64_t finished_in_window = 0;  ///< before end_ns
  std::int64_t ended_ns = 0;             ///< when the thread ended
  std::int64_t longest_busy_ns = 0;
  double cpu_seconds = 0;

  std::uint64_t unfinished() const { return latency_ns.size() - finished; }
};

/// The largest number of operations of a thread: their latencies take 64 MiB.
inline constexpr std::uint64_t most_foreground_operations = std::uint64_t{1} << 22;

/// Calls operate(0), operate(1) … when they are due. Ends at schedule.end_ns if there is no interval, or when the log is full.
void run_foreground(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                    ForegroundLog& log);

/// A thread is stalled if one operation took both this long and this many times as long as the median operation. An operation of
/// 20 ms that shares its CPU with one other thread ends within 50 ms.
inline constexpr std::int64_t shortest_stall_ns = 50'000'000;
inline constexpr std::int64_t stall_factor = 20;

/// The longest operation in nanoseconds if it was a stall.
std::optional<std::int64_t> stall_of(const ForegroundLog& log);

}  // namespace ecbench
