// The kernels that multiply chunks by a matrix over GF(2^8): one for each instruction set, each in a separate file with its own
// compile flags. To add a level, write its file, declare it below and name it in kernels.cc.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench::simd {

/// How targets are written: through the caches, or past them with the sources fetched ahead.
enum class Store { temporal, streaming };

/// Properties of rows that save multiplications.
enum class Form {
  general,
  ones_row,    ///< the first row is ones
  normalised,  ///< the first row and the first column are ones, as in the matrix of jerasure's reed_sol_van
  powers,      ///< row r has the powers of 2^r, beginning with 1, for at least 2 sources, as in the matrix of isa's reed_sol_van
  /// The sum of all rows is ones, except zeros for the last row_count-1 sources; there are no fewer sources than rows. The rows of
  /// lost data chunks have this form if the coding chunk that is the sum of all data chunks is available, or is lost and rebuilt
  /// with them: the first target is the sum of that chunk and the other targets.
  complementary,
  /// Two rows for two lost data chunks of a code whose first rows are powers; they are also complementary. The last two of at least
  /// three sources are the coding chunks P and Q of these rows, the others data chunks. RowGroup::lost has the lost chunks.
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

/// targets[r] = the sum over c of coefficient (r, c) times sources[c], for the bytes from `begin` to before `end`, at least one
/// byte. Reads and writes only these bytes, at any address, but streaming passes need targets + begin at multiples of 64 bytes.
/// Only fence() makes sure that other threads see these stores before later ones.
using Pass = void (*)(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                      std::size_t end);

/// A source that an overwrite changes.
struct Change {
  std::size_t source;  ///< its number among the sources
  const std::uint8_t* old_bytes;
  const std::uint8_t* new_bytes;
};

/// targets[r] += the sum over `changes` of coefficient (r, source) times the XOR of its old and new bytes, for the bytes from
/// `begin` to before `end`. Reads and writes only these bytes, at any address. 1 to most_changes changes.
using Update = void (*)(const RowGroup& group, const Change* changes, int change_count, std::uint8_t* const* targets,
                        std::size_t begin, std::size_t end);
inline constexpr int most_changes = 3;

struct Kernel {
  const char* name;                                  ///< shown to the user: "AVX2 shuffle"
  const char* level;                                 ///< a level of dispatch.h
  int most_rows;                                     ///< the number of rows that fit in its registers
  std::size_t table_bytes;                           ///< the table size of one coefficient
  const std::uint8_t* (*all_tables)();               ///< those of coefficients 0 to 255, table_bytes each
  Pass (*pass)(const RowGroup& group, Store store);  ///< the function for these rows
  void (*fence)();
  Update (*update)(const RowGroup& group, int change_count);  ///< the function for this number of changes
};

/// The products of each low and each high nibble, 16 bytes each, for multiplying by shuffles (Plank, Greenan and Miller, "Screaming
/// Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST 2013).
inline constexpr std::size_t nibble_table_bytes = 32;
const std::uint8_t* all_nibble_tables();

/// The 8x8 bit matrix that multiplies by `coefficient`, in the format of GF2P8AFFINEQB: byte 7-i is row i.
inline constexpr std::size_t bit_matrix_bytes = 8;
const std::uint8_t* all_bit_matrices();

const Kernel& scalar_kernel();
const Kernel& avx2_kernel();
const Kernel& avx2_gfni_kernel();
const Kernel& avx512_kernel();
const Kernel& avx512_gfni_kernel();
const Kernel& neon_kernel();

/// The kernels that this build has and this CPU can run, the slowest first.
std::vector<const Kernel*> usable_kernels();

/// The levels of dispatch.h for which this build has kernels, without native.
std::vector<std::string> dispatch_levels();

/// The kernel of `level`, or with native the fastest that the CPU can run. Throws Error if there is none that it can run.
const Kernel& kernel_of(const std::string& level);

}  // namespace ecbench::simd
