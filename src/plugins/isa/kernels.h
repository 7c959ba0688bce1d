// The kernels of ISA-L. The functions ec_encode_data and xor_gen choose a kernel for the CPU. ISA-L also exports each kernel under
// its own name. If the level of --dispatch is not native, the plugin calls the kernels of this level directly.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/isa/tables.h"

namespace ecbench::isa {

struct Kernels {
  void (*encode_data)(int size, int k, int rows, unsigned char* tables, unsigned char** data, unsigned char** coding);
  int (*xor_gen)(int count, int size, void** chunks);
  /// `data` points to one of the k data chunks, and `chunk` is the number of this data chunk. For each of the `rows` coding chunks,
  /// multiplies the data chunk by a coefficient, and adds the product to the coding chunk.
  void (*encode_data_update)(int size, int k, int rows, int chunk, unsigned char* tables, unsigned char* data,
                             unsigned char** coding);
  const char* encode_data_name;  ///< name of the kernel that runs, or of the dispatcher if the kernel is unknown
  const char* xor_gen_name;
  /// Makes the tables for encode_data: 32 bytes for each of rows * k coefficients. A table contains products of nibbles or, for
  /// kernels with GFNI, a bit matrix. In releases of ISA-L with kernels for GFNI, ec_init_tables makes the tables that
  /// ec_encode_data needs on this CPU.
  void (*make_tables)(int k, int rows, unsigned char* coefficients, unsigned char* tables);
};

/// The levels for which this libisal has kernels. The level native is not in the list.
std::vector<std::string> dispatch_levels();

/// The kernels of `level`. Throws Error if this libisal has no kernels of this level, or if `level` is ssse3 and the CPU does not
/// have SSE4.1. For all other levels, the caller must check that the CPU can run the kernels.
Kernels kernels_of(const std::string& level);

/// Returns the tables that `kernels` need to multiply k chunks by `coefficients`. `coefficients` consists of rows of k elements.
/// The tables have 32 bytes for each coefficient.
Tables multiplication_tables(const Kernels& kernels, std::span<const std::uint8_t> coefficients, int k);

}  // namespace ecbench::isa
