// Which of ISA-L's kernels codes run. ISA-L chooses by CPU behind ec_encode_data and xor_gen, and exports what it chooses from, so
// that a level of --dispatch can be had by calling one of those.

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
  /// Adds the product of `data`, which is data chunk `chunk` of k, to `rows` coding chunks.
  void (*encode_data_update)(int size, int k, int rows, int chunk, unsigned char* tables, unsigned char* data,
                             unsigned char** coding);
  const char* encode_data_name;  ///< of what runs in the end, where that can be known
  const char* xor_gen_name;
  /// Makes the tables of rows * k coefficients as encode_data wants them, 32 bytes for each: products of nibbles, or a bit matrix
  /// for GFNI. Which of them ec_init_tables and gf_vect_mul_init make depends, in later ISA-L, on the CPU.
  void (*make_tables)(int k, int rows, unsigned char* coefficients, unsigned char* tables);
};

/// The levels for which this libisal has kernels, without native.
std::vector<std::string> dispatch_levels();

/// Those of `level`, of dispatch_levels() or native. Throws Error if the CPU cannot run them.
Kernels kernels_of(const std::string& level);

/// What `kernels` need to multiply k chunks by `coefficients`, rows of k: 32 bytes for each.
Tables multiplication_tables(const Kernels& kernels, std::span<const std::uint8_t> coefficients, int k);

}  // namespace ecbench::isa
