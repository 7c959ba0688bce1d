// The limit: what it costs on this machine to read k chunks, XOR them and write m chunks. No encoder does less, so the limit is
// the yardstick that a code's speed is held against, for its own shape and in its own cache state.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "benchmark/limit_kernel.h"

namespace ecbench {

/// All ways to store. The limit is the fastest of them; which one that is depends on the machine and on the cache state. On Milan
/// streaming stores gain up to 60 % where the targets are not in a cache (26 % at 6+2) and lose up to 80 % where they are;
/// prefetching gains 15 % on Granite Rapids, 4 MiB cold, and loses 10 to 30 % on Milan.
inline constexpr std::array all_stores{Stores::plain, Stores::streaming, Stores::streaming_prefetched};

/// Reads `size_bytes` bytes of every source once and writes their XOR to every target, by the widest vectors that this CPU has. At
/// least one source; no target may overlap a source or another target; without targets it only reads. Any size and any alignment,
/// but where a target does not start at a multiple of 64 bytes all stores are plain. Streamed bytes are visible to other threads on
/// return.
void read_xor_write(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size_bytes,
                    Stores stores);

}  // namespace ecbench
