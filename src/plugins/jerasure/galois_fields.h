// Makes libJerasure usable by several threads. The library sets up a field GF(2^w) and some tables at their first use,
// without a lock. The functions of this file set them up earlier, when a code is made, under a lock. Therefore encode and decode
// set up nothing and allocate nothing.

#pragma once

#include <mutex>

namespace ecbench::jerasure {

/// libJerasure XORs two regions with the functions of GF(2^32): it multiplies a region by one and adds the product to the other
/// region.
inline constexpr int xor_field = 32;

/// Must be locked while a code is made, because the library's functions that make matrices fill their own tables at first use.
std::mutex& library_mutex();

/// Sets up GF(2^w), w = 2 to 32, and GF(2^xor_field). The caller must hold library_mutex(). Throws Error if the library fails.
void set_up_field(int w);

/// Sets up the multiplication by two that reed_sol_r6_encode uses. The caller must hold library_mutex().
void set_up_raid6_field(int w);

/// True if two threads must not multiply regions in GF(2^w) at the same time. The field must be set up. For w = 32 without SSSE3,
/// GF-Complete stores the table of the last multiplier in the field (gf_w32.c, the lazy split table).
bool multiplication_has_state(int w);

}  // namespace ecbench::jerasure
