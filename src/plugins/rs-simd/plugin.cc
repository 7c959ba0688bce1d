// The plugin `rs-simd`: the Rust crate reed-solomon-simd.

#include "erasure_code/plugin.h"

#include "erasure_code/dispatch.h"
#include "foreign_code/foreign_code.h"

// These functions are defined in src/lib.rs.
ECBENCH_FOREIGN_LIBRARY(rs_simd)
extern "C" {
const char* rs_simd_versions();
const char* rs_simd_engine(const char* level);
}

namespace ecbench::rs_simd {
namespace {

constexpr int chunk_limit = 65536;

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context& context) {
  const std::string& level = context.dispatch;
  return contenders::make_foreign_code(
      rs_simd_library, "", level,
      {.k = profile.integer("k"),
       .m = profile.integer("m"),
       .chunk_limit = chunk_limit,
       .kernel = std::string("engine ") + rs_simd_engine(level.c_str()) + " of reed-solomon-simd"});
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "rs-simd",
      .summary = std::string("a Reed-Solomon code over GF(2^16), computed by FFT, implemented by ") + rs_simd_versions(),
      .techniques = {{
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
