// The kinds of foreground operations and their shares.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench {

enum class ForegroundKind : std::uint8_t { read, degraded_read, encode, overwrite };

inline constexpr std::size_t foreground_kind_count = 4;

/// In the order of ForegroundKind.
inline constexpr std::array<const char*, foreground_kind_count> foreground_kind_names{"read", "degraded-read", "encode",
                                                                                      "overwrite"};

/// Percent, together 100.
using Shares = std::array<int, foreground_kind_count>;

/// "read=40,degraded-read=20,encode=40"; others get 0 %. Throws Error with `option`.
Shares parse_shares(const std::string& option, const std::string& text);

/// Without kinds with 0 %.
std::string shares_text(const Shares& shares);

/// Of 100 operations, each exactly shares[kind] times, in an order by `seed`, which a thread repeats.
std::vector<ForegroundKind> order_of_kinds(const Shares& shares, std::uint64_t seed);

}  // namespace ecbench
