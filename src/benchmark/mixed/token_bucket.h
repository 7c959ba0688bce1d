// Limits the rate of repairs. Each token permits one rebuilt byte.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace ecbench {

class TokenBucket {
 public:
  /// If `bytes_per_s` is absent, there is no limit. If it is 0, the bucket never gives tokens. The bucket contains at most
  /// `burst_bytes` tokens and is full at `begin_ns`.
  TokenBucket(std::optional<double> bytes_per_s, double burst_bytes, std::int64_t begin_ns);

  /// Takes `bytes` tokens. Returns the time at which the caller may begin: `now_ns`, or a later time if tokens are missing. Returns
  /// std::nullopt if `bytes_per_s` is 0. All callers that may begin before a time t have together taken at most
  /// burst_bytes + bytes_per_s * (t - begin) tokens. Several threads may call this function. It implements the generic cell rate
  /// algorithm (ITU-T I.371, virtual scheduling).
  std::optional<std::int64_t> take(double bytes, std::int64_t now_ns);

 private:
  std::optional<double> bytes_per_s_;
  double burst_bytes_;
  std::mutex mutex_;
  double full_at_ns_;  // the time at which the bucket will be full if no more tokens are taken
};

}  // namespace ecbench
