// libJerasure sets up fields GF(2^w) and tables at the first use, without a lock. These functions do so when a code is made, under
// a lock, so that encode and decode set up and allocate nothing.

#pragma once

#include <mutex>

namespace ecbench::jerasure {

/// To XOR two regions, libJerasure multiplies one region by 1 in GF(2^32), and adds the product to the other region.
inline constexpr int xor_field = 32;

/// For making a code: libJerasure's matrix functions fill tables without a lock.
std::mutex& library_mutex();

/// w is 2 to 32. Needs library_mutex(). Throws Error if the library fails.
void set_up_field(int w);

/// For reed_sol_r6_encode. Needs library_mutex().
void set_up_raid6_field(int w);

/// Then two threads must not multiply in GF(2^w), which must be set up, at the same time: for w = 32 without SSSE3, the table of
/// the last multiplier is in the field (gf_w32.c, the lazy split table).
bool multiplication_has_state(int w);

}  // namespace ecbench::jerasure
