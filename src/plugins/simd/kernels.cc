#include <algorithm>
#include <array>

#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {
namespace {

std::vector<const Kernel*> built_kernels() {
#if defined(__x86_64__)
  return {&scalar_kernel(), &avx2_kernel(), &avx2_gfni_kernel(), &avx512_kernel(), &avx512_gfni_kernel()};
#elif defined(__aarch64__)
  return {&scalar_kernel(), &neon_kernel()};
#else
  return {&scalar_kernel()};
#endif
}

void work_out_nibble_table(Basis basis, std::uint8_t coefficient, std::uint8_t* table) {
  for (unsigned nibble = 0; nibble < 16; nibble++) {
    table[nibble] = multiply_byte(basis, coefficient, static_cast<std::uint8_t>(nibble));
    table[16 + nibble] = multiply_byte(basis, coefficient, static_cast<std::uint8_t>(nibble << 4));
  }
}

void work_out_bit_matrix(Basis basis, std::uint8_t coefficient, std::uint8_t* table) {
  std::fill_n(table, bit_matrix_bytes, std::uint8_t{0});
  for (unsigned column = 0; column < 8; column++) {
    const unsigned image = multiply_byte(basis, coefficient, static_cast<std::uint8_t>(1u << column));
    for (unsigned row = 0; row < 8; row++) {
      if (image >> row & 1) table[7 - row] = static_cast<std::uint8_t>(table[7 - row] | 1u << column);
    }
  }
}

/// Returns the tables of all 256 coefficients. `work_out` computes the table of one coefficient.
template <std::size_t table_bytes, void (*work_out)(Basis, std::uint8_t, std::uint8_t*)>
const std::uint8_t* tables_of_all(Basis basis) {
  using Tables = std::array<std::array<std::uint8_t, table_bytes>, 256>;
  const auto compute = [](Basis of) {
    Tables tables;
    for (unsigned coefficient = 0; coefficient < 256; coefficient++) {
      work_out(of, static_cast<std::uint8_t>(coefficient), tables[coefficient].data());
    }
    return tables;
  };
  static const Tables natural = compute(Basis::natural);
  if (basis == Basis::natural) return natural.front().data();
  static const Tables cantor = compute(Basis::cantor);
  return cantor.front().data();
}

}  // namespace

const std::uint8_t* all_nibble_tables(Basis basis) { return tables_of_all<nibble_table_bytes, work_out_nibble_table>(basis); }

const std::uint8_t* all_bit_matrices(Basis basis) { return tables_of_all<bit_matrix_bytes, work_out_bit_matrix>(basis); }

std::vector<const Kernel*> usable_kernels() {
  std::vector<const Kernel*> kernels = built_kernels();
  std::erase_if(kernels, [](const Kernel* kernel) { return !cpu_has_dispatch_level(kernel->level); });
  return kernels;
}

std::vector<std::string> dispatch_levels() {
  std::vector<std::string> levels;
  for (const Kernel* kernel : built_kernels()) levels.emplace_back(kernel->level);
  return levels;
}

const Kernel& kernel_of(const std::string& level) {
  const std::vector<const Kernel*> kernels = usable_kernels();
  if (level == native_dispatch) return *kernels.back();
  const auto found = std::ranges::find_if(kernels, [&](const Kernel* kernel) { return kernel->level == level; });
  if (found == kernels.end())
    throw Error("--dispatch " + level + " is not allowed: plugin simd has no kernel of this level that this CPU can run; " +
                "choose another level");
  return **found;
}

}  // namespace ecbench::simd
