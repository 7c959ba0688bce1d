#include "plugins/jerasure/galois_fields.h"

#include <array>
#include <string>

#include "erasure_code/error.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/library.h"

namespace ecbench::jerasure {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

void set_up_field(int w) {
  for (const int field : {w, xor_field}) {
    // galois_init_default_field() does nothing if the field is already set up.
    if (galois_init_default_field(field) != 0) throw Error("GF-Complete cannot set up GF(2^" + std::to_string(field) + ")");
  }
}

void set_up_raid6_field(int w) {
  alignas(64) std::array<char, 64> region{};
  const int size = static_cast<int>(region.size());
  if (w == 8) reed_sol_galois_w08_region_multby_2(region.data(), size);
  if (w == 16) reed_sol_galois_w16_region_multby_2(region.data(), size);
  if (w == 32) reed_sol_galois_w32_region_multby_2(region.data(), size);
}

bool multiplication_has_state(int w) {
  return w == 32 && !uses_ssse3();
}

}  // namespace ecbench::jerasure
