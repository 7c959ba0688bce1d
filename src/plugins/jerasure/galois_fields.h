// With the functions of this file, several threads can use libJerasure. The library sets up each field GF(2^w) and some tables at
// the first use, without a lock. The functions of this file set up the fields and the tables earlier: when a code is made, and
// under a lock. Therefore encode and decode set up nothing and allocate nothing.

#pragma once

#include <mutex>

namespace ecbench::jerasure {

/// To XOR two regions, libJerasure multiplies one region by 1 in GF(2^32), and adds the product to the other region.
inline constexpr int xor_field = 32;

/// The caller must lock this mutex while it makes a code. At the first call, libJerasure's matrix functions fill tables without a
/// lock.
std::mutex& library_mutex();

/// Sets up GF(2^w) and GF(2^xor_field). w is 2 to 32. The caller must hold library_mutex(). Throws Error if the library fails.
void set_up_field(int w);

/// Sets up the multiplication by two that reed_sol_r6_encode uses. The caller must hold library_mutex().
void set_up_raid6_field(int w);

/// True if two threads must not multiply regions in GF(2^w) at the same time. The field must be set up. For w = 32 without SSSE3,
/// GF-Complete stores the table of the last multiplier in the memory of the field (gf_w32.c, the lazy split table).
bool multiplication_has_state(int w);

}  // namespace ecbench::jerasure
