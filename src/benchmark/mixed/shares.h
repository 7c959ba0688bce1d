// The kinds of foreground operations and their shares.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench {

enum class ForegroundKind : std::uint8_t { read, degraded_read, encode, overwrite };

inline constexpr std::size_t foreground_kind_count = 4;

/// The names in options and results, in the order of ForegroundKind.
inline constexpr std::array<const char*, foreground_kind_count> foreground_kind_names{"read", "degraded-read", "encode",
                                                                                      "overwrite"};

/// Percentages of the operations; their sum is 100.
using Shares = std::array<int, foreground_kind_count>;

/// Parses "read=40,degraded-read=20,encode=40"; kinds that are left out have 0 %. Throws Error that names `option`.
Shares parse_shares(const std::string& option, const std::string& text);

/// The opposite of parse_shares().
std::string shares_text(const Shares& shares);

/// 100 operations in a random order that `seed` determines: exactly shares[kind] of each kind. A thread repeats this order.
std::vector<ForegroundKind> order_of_kinds(const Shares& shares, std::uint64_t seed);

}  // namespace ecbench
