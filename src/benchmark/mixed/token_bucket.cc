#include "benchmark/mixed/token_bucket.h"

#include <algorithm>
#include <cmath>

namespace ecbench {

TokenBucket::TokenBucket(std::optional<double> bytes_per_s, double burst_bytes, std::int64_t begin_ns)
    : bytes_per_s_(bytes_per_s), burst_bytes_(burst_bytes), full_at_ns_(static_cast<double>(begin_ns)) {}

std::optional<std::int64_t> TokenBucket::take(double bytes, std::int64_t now_ns) {
  if (!bytes_per_s_) return now_ns;
  if (*bytes_per_s_ <= 0) return std::nullopt;
  const double ns_per_byte = 1e9 / *bytes_per_s_;
  const auto now = static_cast<double>(now_ns);
  const std::lock_guard lock(mutex_);
  full_at_ns_ = std::max(full_at_ns_, now) + bytes * ns_per_byte;
  const double begin = full_at_ns_ - burst_bytes_ * ns_per_byte;
  constexpr double latest = 9e18;  // about 285 years in nanoseconds; this number fits in 64 bits
  return begin <= now ? now_ns : static_cast<std::int64_t>(std::min(std::ceil(begin), latest));
}

}  // namespace ecbench
