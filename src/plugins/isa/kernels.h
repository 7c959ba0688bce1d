// The kernels of ISA-L that codes run. ec_encode_data and xor_gen choose a kernel by the CPU. ISA-L also exports the single
// kernels, so a level of --dispatch is set by a direct call.

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
  /// Adds the product of `data`, which is data chunk number `chunk` of k, to `rows` coding chunks.
  void (*encode_data_update)(int size, int k, int rows, int chunk, unsigned char* tables, unsigned char* data,
                             unsigned char** coding);
  const char* encode_data_name;  ///< name of the kernel that finally runs, if it can be known
  const char* xor_gen_name;
  /// Makes the tables of rows * k coefficients for encode_data, 32 bytes for each: products of nibbles, or a bit matrix for GFNI.
  /// In later releases of ISA-L, the CPU determines which of the two ec_init_tables and gf_vect_mul_init make.
  void (*make_tables)(int k, int rows, unsigned char* coefficients, unsigned char* tables);
};

/// The levels for which this libisal has kernels, without native.
std::vector<std::string> dispatch_levels();

/// The kernels of `level`, which is native or one of dispatch_levels(). Throws Error if the CPU cannot run them.
Kernels kernels_of(const std::string& level);

/// The tables with which `kernels` multiply k chunks by `coefficients` (rows of k): 32 bytes for each coefficient.
Tables multiplication_tables(const Kernels& kernels, std::span<const std::uint8_t> coefficients, int k);

}  // namespace ecbench::isa
