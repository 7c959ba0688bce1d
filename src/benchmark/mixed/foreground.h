// The foreground: operations that are due at scheduled times, whether or not earlier ones have ended (open loop). Without a rate,
// an operation is due when the one before it has ended (closed loop). A latency counts from the time at which the operation is due.
// If it counted from the operation's start, the percentiles would not contain the waiting time of clients: while operations are
// slow, a blocked thread would start fewer of them (coordinated omission).

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
  std::int64_t last_start_ns = 0;     ///< not before end_ns; an operation that has not started by this time is unfinished
  std::optional<double> interval_ns;  ///< time between operations; absent: an operation is due when the one before it has ended
  double first_due_ns = 0;  ///< due time of operation 0, minus begin_ns; differs between threads, so that the threads alternate

  /// The number of operations; 0 without interval_ns.
  std::uint64_t count() const;
  /// The time at which operation `number` is due. Needs interval_ns.
  std::int64_t due_ns(std::uint64_t number) const;
};

/// The latencies of one thread. Operation number i is at index i.
struct ForegroundLog {
  /// Reserves memory for `most_operations` and writes to each page, so that no memory is allocated while the thread runs.
  explicit ForegroundLog(std::uint64_t most_operations);

  /// The time from the moment at which an operation was due to the end of the operation. For an unfinished operation, the time to
  /// the end of the thread, which is a lower bound of the latency.
  std::vector<std::int64_t> latency_ns;
  /// For finished operations: the time from the moment at which the operation could start to its end. An operation can start as
  /// soon as it is due and the operation before it has ended.
  std::vector<std::int64_t> busy_ns;
  std::uint64_t finished = 0;
  std::uint64_t finished_in_window = 0;  ///< operations that ended at end_ns or earlier
  std::int64_t ended_ns = 0;             ///< when the thread ended
  std::int64_t longest_busy_ns = 0;
  double cpu_seconds = 0;

  std::uint64_t unfinished() const { return latency_ns.size() - finished; }
};

/// The largest number of operations of a thread. latency_ns and busy_ns then take 64 MiB.
inline constexpr std::uint64_t most_foreground_operations = std::uint64_t{1} << 22;

/// Calls operate(0), operate(1) … when they are due. Without interval_ns, no operation starts at end_ns or later. With interval_ns,
/// count() operations start, but none at last_start_ns or later. Also returns when the log is full.
void run_foreground(const Schedule& schedule, MixedClock& clock, const std::function<void(std::uint64_t)>& operate,
                    ForegroundLog& log);

/// A thread is stalled if one operation took at least shortest_stall_ns, and at least the median time of an operation, multiplied
/// by stall_factor. An operation that needs 20 ms of CPU time and shares its CPU with one other thread ends within 50 ms, so it is
/// not a stall.
inline constexpr std::int64_t shortest_stall_ns = 50'000'000;
inline constexpr std::int64_t stall_factor = 20;

/// The time of the longest operation in nanoseconds, if this operation was a stall.
std::optional<std::int64_t> stall_of(const ForegroundLog& log);

}  // namespace ecbench
