// The kernels that multiply chunks by a matrix over GF(2^8): a file with its own compile flags for each instruction set. A new one
// is declared below, and listed in CMakeLists.txt and kernels.cc.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/simd/fft/butterfly.h"

namespace ecbench::simd {

/// Through the caches or past them, often with prefetched sources. The scalar and the NEON kernel have only temporal stores.
enum class Store { temporal, streaming };

/// A property of the coefficients in a RowGroup. Each property except `general` reduces the number of multiplications.
enum class Form {
  general,     ///< none of the properties below is known
  ones_row,    ///< all elements of the first row are 1
  normalised,  ///< all elements of the first row and of the first column are 1, as in jerasure's reed_sol_van
  powers,      ///< element (r, c) is (2^r)^c, as in the matrix of isa's reed_sol_van; there are at least two sources
  /// The coefficients of a source have the sum 0 for each of the last row_count-1 sources, and 1 for each earlier one; there are at
  /// least as many sources as rows. So the first target is the sum of the earlier sources and of all other targets. The rows that
  /// rebuild all lost data chunks are complementary if the first coding chunk is the sum of all data chunks, and is available or
  /// rebuilt with them.
  complementary,
  /// Two rows that rebuild two lost data chunks (RowGroup::lost) of a code whose first two coding rows have the form `powers`; they
  /// are also `complementary`. At least three sources: data chunks, then the first two coding chunks, P and Q.
  syndromes
};

/// Rows that are computed in one pass over the sources.
struct RowGroup {
  int row_count = 0;     ///< 1 to Kernel::most_rows
  int source_count = 0;  ///< at least 1
  Form form = Form::general;
  int lost[2] = {};  ///< with Form::syndromes: the numbers of the lost data chunks, ascending
  const std::uint8_t* tables =
      nullptr;  ///< Kernel::table_bytes bytes for each coefficient: first all rows of source 0, then all rows of source 1, ...
};

/// targets[r] is the sum of the sources[c] times coefficient (r, c), for the bytes `begin` to `end` - 1, at least one. Any
/// addresses; with streaming stores, targets[r] + begin must be a multiple of 64 bytes, and other threads may see later stores of
/// this thread first, unless fence() is called.
using Pass = void (*)(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                      std::size_t end);

/// A source that an overwrite changes.
struct Change {
  std::size_t source;  ///< the number of this source
  const std::uint8_t* old_bytes;
  const std::uint8_t* new_bytes;
};

/// Adds the XOR of old_bytes and new_bytes, times coefficient (r, source), to targets[r], for each row and change, for the bytes
/// `begin` to `end` - 1, at any address. `change_count` is 1 to most_changes.
using Update = void (*)(const RowGroup& group, const Change* changes, int change_count, std::uint8_t* const* targets,
                        std::size_t begin, std::size_t end);
inline constexpr int most_changes = 3;

struct Kernel {
  const char* name;                                  ///< shown to the user, for example "AVX2 shuffle"
  const char* level;                                 ///< a dispatch level of dispatch.h
  int most_rows;                                     ///< the number of rows whose sums fit in the registers
  std::size_t table_bytes;                           ///< the table size of one coefficient
  const std::uint8_t* (*all_tables)(Basis basis);    ///< the tables of coefficients 0 to 255, table_bytes each
  Pass (*pass)(const RowGroup& group, Store store);  ///< returns the function for these rows
  void (*fence)();
  Update (*update)(const RowGroup& group, int change_count);  ///< returns the function for these rows and this number of changes
  std::size_t vector_bytes;                                   ///< a butterfly processes a multiple of this number of bytes
  Butterfly (*butterfly)(const ButterflyKind& kind);          ///< returns the function for this kind
  double access_cost;  ///< the time to load or store a vector, divided by the time to multiply it by a coefficient; see rs_code.cc
  /// An FFT of three layers reads each row twice, with 4 and 2 rows at once, instead of 8 at once: chunks at multiples of 4 KiB
  /// share the sets of an L1 cache of 8 ways, so 8 rows evict lines that are half processed.
  bool splits_three_layers = false;
  int layers_at_once = 3;                ///< the most layers of a step of a CosetSum, as in butterfly_of()
  std::size_t scratch_bytes = 48 << 10;  ///< size of the scratch rows of an FFT
};

/// Bytes of a coefficient's table for shuffle instructions: its products with the 16 values of the low nibble, then of the high
/// nibble (Plank, Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST 2013).
inline constexpr std::size_t nibble_table_bytes = 32;
const std::uint8_t* all_nibble_tables(Basis basis);

/// Bytes of a coefficient's table for GF2P8AFFINEQB: its 8x8 bit matrix; row i is byte 7-i.
inline constexpr std::size_t bit_matrix_bytes = 8;
const std::uint8_t* all_bit_matrices(Basis basis);

const Kernel& scalar_kernel();
const Kernel& avx2_kernel();
const Kernel& avx2_gfni_kernel();
const Kernel& avx512_kernel();
const Kernel& avx512_gfni_kernel();
const Kernel& neon_kernel();

/// The kernels that are part of this build and that this CPU can run, the slowest first.
std::vector<const Kernel*> usable_kernels();

/// The levels of this build, without native.
std::vector<std::string> dispatch_levels();

/// The fastest one of this CPU for native. Throws Error if this build or this CPU has no kernel of `level`.
const Kernel& kernel_of(const std::string& level);

}  // namespace ecbench::simd
