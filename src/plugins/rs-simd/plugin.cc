// The plugin `rs-simd`: the Rust crate reed-solomon-simd.

#include "erasure_code/plugin.h"

#include "erasure_code/dispatch.h"
#include "foreign_code/foreign_code.h"

// These functions are defined in src/lib.rs.
extern "C" {
std::uint64_t rs_simd_make(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
void rs_simd_drop(std::uint64_t handle);
int rs_simd_encode(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
int rs_simd_decode(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
                   std::size_t chunk_size);
void rs_simd_nothing();
const char* rs_simd_versions();
const char* rs_simd_engine(const char* level);
}

namespace ecbench::rs_simd {
namespace {

constexpr int chunk_limit = 65536;

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context& context) {
  constexpr contenders::ForeignLibrary library{rs_simd_make, rs_simd_drop, rs_simd_encode, rs_simd_decode, rs_simd_nothing};
  const std::string& level = context.dispatch;
  return contenders::make_foreign_code(
      library, "", level,
      {.k = profile.integer("k"),
       .m = profile.integer("m"),
       .chunk_limit = chunk_limit,
       .kernel = std::string("engine ") + rs_simd_engine(level.c_str()) + " of reed-solomon-simd"});
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "rs-simd",
      .summary = std::string("a Reed-Solomon code over GF(2^16), computed by FFT, implemented by ") + rs_simd_versions(),
      .default_technique = "",
      .techniques = {{
          .name = "",
          .summary = "any k of the k+m chunks are enough. The crate is designed for large k and m",
          .parameters = contenders::chunk_counts(
              chunk_limit - 1, "k+m is at most " + std::to_string(chunk_limit) + ", the number of elements of GF(2^16)"),
          .make = make,
      }},
      .dispatch_levels = {"scalar", "ssse3", "avx2"},
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::rs_simd

ECBENCH_PLUGIN(ecbench::rs_simd::plugin())
