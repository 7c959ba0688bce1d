// Makes libJerasure usable by several threads. The library sets up a field GF(2^w), and some tables, at their first use without a
// lock. Here this happens under a lock when a code is made, so that encode and decode allocate nothing.

#pragma once

#include <mutex>

namespace ecbench::jerasure {

/// The library XORs regions by multiplying by one in GF(2^32).
inline constexpr int xor_field = 32;

/// Locked while a code is made: the library's functions that make matrices fill their own tables at first use.
std::mutex& library_mutex();

/// Sets up GF(2^w), w = 2 to 32, and the field of xor_field. The caller must hold library_mutex(). Throws Error.
void set_up_field(int w);

/// Sets up the multiplication by two of reed_sol_r6_encode. The caller holds library_mutex().
void set_up_raid6_field(int w);

/// True if two threads must not multiply regions in GF(2^w) at the same time. The field must be set up. Without SSSE3, GF-Complete
/// keeps the table of the last multiplier in the field for w = 32 (gf_w32.c, the lazy split table).
bool multiplication_has_state(int w);

}  // namespace ecbench::jerasure
