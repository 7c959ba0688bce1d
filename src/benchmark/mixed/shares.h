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

/// For each ForegroundKind, its share of the operations in percent. The sum of the shares is 100.
using Shares = std::array<int, foreground_kind_count>;

/// Parses a text such as "read=40,degraded-read=20,encode=40". A kind that is not in the text gets 0 %. If the text is not allowed,
/// throws an Error whose message contains `option`.
Shares parse_shares(const std::string& option, const std::string& text);

/// The text from which parse_shares() makes `shares`. Kinds with 0 % are not in the text.
std::string shares_text(const Shares& shares);

/// The kinds of 100 operations, in a random order that `seed` determines. Each kind occurs exactly shares[kind] times. A thread
/// repeats this order.
std::vector<ForegroundKind> order_of_kinds(const Shares& shares, std::uint64_t seed);

}  // namespace ecbench
