// Limits the rate of repairs. Each token permits one rebuilt byte.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace ecbench {

class TokenBucket {
 public:
  /// Absent: no limit; 0: never any tokens. At most `burst_bytes` tokens, full at `begin_ns`.
  TokenBucket(std::optional<double> bytes_per_s, double burst_bytes, std::int64_t begin_ns);

  /// Returns when the caller may begin, `now_ns` or later; nothing if `bytes_per_s` is 0. Callers that may begin before t have
  /// taken at most burst_bytes + bytes_per_s * (t - begin) tokens. For several threads: the generic cell rate algorithm (ITU-T
  /// I.371, virtual scheduling).
  std::optional<std::int64_t> take(double bytes, std::int64_t now_ns);

 private:
  std::optional<double> bytes_per_s_;
  double burst_bytes_;
  std::mutex mutex_;
  double full_at_ns_;  // the time at which the bucket will be full if no more tokens are taken
};

}  // namespace ecbench
