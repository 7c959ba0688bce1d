// The kernels that multiply chunks by a matrix over GF(2^8). Each instruction set has a separate file with its own compile flags.
// To add a level, write its file, add the file to CMakeLists.txt, declare its kernel below, and add the kernel to kernels.cc.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench::simd {

/// How targets are written. Temporal stores use the caches. Streaming stores bypass the caches, and some kernels then prefetch the
/// sources. The scalar and the NEON kernel have only temporal stores.
enum class Store { temporal, streaming };

/// Properties of rows. With each property except `general`, fewer multiplications are needed.
enum class Form {
  general,
  ones_row,    ///< all elements of the first row are 1
  normalised,  ///< all elements of the first row and of the first column are 1, as in jerasure's reed_sol_van
  powers,      ///< row r contains the powers of 2^r, beginning with 1; at least 2 sources; as in the matrix of isa's reed_sol_van
  /// For each of the last row_count-1 sources, the sum of its coefficients in all rows is 0. For each source before these, this sum
  /// is 1. There are at least as many sources as rows. The first target is then the sum of these earlier sources and of all other
  /// targets. The rows that rebuild lost data chunks have this form under two conditions: the first coding chunk is the sum of all
  /// data chunks, and this coding chunk is available or is rebuilt together with these data chunks.
  complementary,
  /// Two rows for two lost data chunks, for a code whose first two coding rows are powers. The rows are also complementary. There
  /// are at least three sources: data chunks, then the coding chunks P and Q of the first two rows. RowGroup::lost contains the
  /// lost chunks.
  syndromes
};

/// Rows that are computed in one pass over the sources.
struct RowGroup {
  int row_count = 0;     ///< 1 to Kernel::most_rows
  int source_count = 0;  ///< at least 1
  Form form = Form::general;
  int lost[2] = {};  ///< with Form::syndromes: the numbers of the lost data chunks, ascending
  const std::uint8_t* tables =
      nullptr;  ///< Kernel::table_bytes for each coefficient: first all rows of source 0, then all rows of source 1, ...
};

/// targets[r] = the sum over c of coefficient (r, c) times sources[c], for the bytes from `begin` to `end` - 1. Reads and writes
/// only these bytes, at least one. They may have any address, except that streaming passes require targets[r] + begin to be a
/// multiple of 64 bytes. If fence() is not called after a streaming pass, other threads may see later stores of this thread before
/// the stores of the pass.
using Pass = void (*)(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                      std::size_t end);

/// A source that an overwrite changes.
struct Change {
  std::size_t source;  ///< the number of this source
  const std::uint8_t* old_bytes;
  const std::uint8_t* new_bytes;
};

/// targets[r] += the sum over `changes` of coefficient (r, source) times the XOR of this source's old and new bytes, for the bytes
/// from `begin` to `end` - 1. Reads and writes only these bytes. They may have any address. There are 1 to most_changes changes.
using Update = void (*)(const RowGroup& group, const Change* changes, int change_count, std::uint8_t* const* targets,
                        std::size_t begin, std::size_t end);
inline constexpr int most_changes = 3;

struct Kernel {
  const char* name;                                  ///< shown to the user: "AVX2 shuffle"
  const char* level;                                 ///< a dispatch level of dispatch.h
  int most_rows;                                     ///< the number of rows whose sums fit in the registers
  std::size_t table_bytes;                           ///< the table size of one coefficient
  const std::uint8_t* (*all_tables)();               ///< the tables of coefficients 0 to 255, table_bytes each
  Pass (*pass)(const RowGroup& group, Store store);  ///< the function for these rows
  void (*fence)();
  Update (*update)(const RowGroup& group, int change_count);  ///< the function for this number of changes
};

/// The table of a coefficient for multiplication by shuffles: the products with the 16 low nibbles, then the products with the 16
/// high nibbles (Plank, Greenan and Miller, "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST 2013).
inline constexpr std::size_t nibble_table_bytes = 32;
const std::uint8_t* all_nibble_tables();

/// The 8x8 bit matrix that multiplies by a coefficient, in the format of GF2P8AFFINEQB: byte 7-i is row i.
inline constexpr std::size_t bit_matrix_bytes = 8;
const std::uint8_t* all_bit_matrices();

const Kernel& scalar_kernel();
const Kernel& avx2_kernel();
const Kernel& avx2_gfni_kernel();
const Kernel& avx512_kernel();
const Kernel& avx512_gfni_kernel();
const Kernel& neon_kernel();

/// The kernels that are part of this build and that this CPU can run, the slowest first.
std::vector<const Kernel*> usable_kernels();

/// The levels of dispatch.h for which this build has kernels. The list does not contain native.
std::vector<std::string> dispatch_levels();

/// The kernel of `level`. If `level` is native, the fastest kernel that the CPU can run. Throws Error if there is no such kernel or
/// if the CPU cannot run it.
const Kernel& kernel_of(const std::string& level);

}  // namespace ecbench::simd
