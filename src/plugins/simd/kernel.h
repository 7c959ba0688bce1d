// What multiplies chunks by a matrix over GF(2^8) here: one kernel for each instruction set, in a file of its own with compile
// flags of its own. To add a level, write its file, declare it below and name it in kernels.cc.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench::simd {

/// How targets are written: through the caches, or past them with the sources fetched ahead.
enum class Store { temporal, streaming };

/// What is known of rows, so that less is multiplied.
enum class Form {
  general,
  ones_row,    ///< the first row is ones
  normalised,  ///< and so is the first column, as in the matrix of jerasure's reed_sol_van
  powers,      ///< row r has the powers of 2^r, from 1 on, over at least 2 sources, as in the matrix of isa's reed_sol_van
  /// All rows together are ones, but zeros over the last row_count-1 sources; there are no fewer sources than rows. Lost data
  /// chunks are so where the coding chunk that is the sum of all data is left, and that one and lost data chunks where it is lost:
  /// the first target is what that sum and the other targets add up to.
  complementary,
  /// Two rows that are complementary, for two lost data chunks of a code whose first rows are powers: the last two of at least
  /// three sources are the coding chunks P and Q of these rows, the others data chunks. RowGroup::lost says which are missing.
  syndromes
};

/// Rows that are computed in one pass over the sources.
struct RowGroup {
  int row_count = 0;     ///< 1 to Kernel::most_rows
  int source_count = 0;  ///< at least 1
  Form form = Form::general;
  int lost[2] = {};                      ///< with Form::syndromes: the numbers of the lost data chunks, ascending
  const std::uint8_t* tables = nullptr;  ///< Kernel::table_bytes for each coefficient: those of source 0, row by row, then source 1
};

/// targets[r] = the sum over c of coefficient (r, c) times sources[c], for the bytes from `begin` to before `end`; there
/// is at least one. Reads and writes just those bytes, wherever they lie; but streaming passes need targets + begin at multiples of
/// 64 bytes. What they write is ordered behind later stores only by fence().
using Pass = void (*)(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                      std::size_t end);

/// A source that an overwrite changes.
struct Change {
  std::size_t source;  ///< its number among the sources
  const std::uint8_t* old_bytes;
  const std::uint8_t* new_bytes;
};

/// targets[r] += the sum over `changes` of coefficient (r, source) times the XOR of its old and new bytes, for the bytes from
/// `begin` to before `end`. Reads and writes only these bytes, at any address.
using Update = void (*)(const RowGroup& group, const Change* changes, int change_count, std::uint8_t* const* targets,
                        std::size_t begin, std::size_t end);

struct Kernel {
  const char* name;                                  ///< for people: "AVX2 shuffle"
  const char* level;                                 ///< of dispatch.h
  int most_rows;                                     ///< as many rows as its registers hold
  std::size_t table_bytes;                           ///< of one coefficient
  const std::uint8_t* (*all_tables)();               ///< those of coefficients 0 to 255, table_bytes each
  Pass (*pass)(const RowGroup& group, Store store);  ///< what computes such rows
  void (*fence)();
  Update (*update)(const RowGroup& group, int change_count);  ///< updates such rows for that many changes
};

/// Two nibbles' products, 16 bytes each: how 16-byte shuffles multiply (Plank, Greenan and Miller, "Screaming Fast Galois Field
/// Arithmetic Using Intel SIMD Instructions", FAST 2013).
inline constexpr std::size_t nibble_table_bytes = 32;
const std::uint8_t* all_nibble_tables();

/// The 8x8 bit matrix that multiplies by `coefficient` as GF2P8AFFINEQB takes it: byte 7-i is row i.
inline constexpr std::size_t bit_matrix_bytes = 8;
const std::uint8_t* all_bit_matrices();

const Kernel& scalar_kernel();
const Kernel& avx2_kernel();
const Kernel& avx2_gfni_kernel();
const Kernel& avx512_kernel();
const Kernel& avx512_gfni_kernel();
const Kernel& neon_kernel();

/// Those that this build has and this CPU can run, the slowest first.
std::vector<const Kernel*> usable_kernels();

/// The levels of dispatch.h for which this build has kernels, without native.
std::vector<std::string> dispatch_levels();

/// The kernel of `level`, or with native the fastest that the CPU can run. Throws Error if there is none that it can run.
const Kernel& kernel_of(const std::string& level);

}  // namespace ecbench::simd
