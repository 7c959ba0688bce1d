// The plugin `rs-erasure`: the Rust crate reed-solomon-erasure.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "foreign_code/foreign_code.h"
#include "plugins/rs-erasure/vectors.h"

// These functions are defined in src/lib.rs.
extern "C" {
std::uint64_t rs_erasure_make(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
void rs_erasure_drop(std::uint64_t handle);
int rs_erasure_encode(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
int rs_erasure_decode(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read,
                      const std::uint8_t* is_rebuilt, std::size_t chunk_size);
void rs_erasure_nothing();
const char* rs_erasure_versions();
}

namespace ecbench::rs_erasure {
namespace {

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context&) {
  constexpr contenders::ForeignLibrary library{rs_erasure_make, rs_erasure_drop, rs_erasure_encode, rs_erasure_decode,
                                               rs_erasure_nothing};
  const std::string level = vectors();
  if (!cpu_has_dispatch_level(level)) {
    throw Error("plugin rs-erasure cannot run on this CPU: it was built on another machine, for CPUs with " + level +
                "; run make contenders on this machine");
  }
  // Any k chunks are enough for this code, but any_k_are_enough is set to false. Therefore, when ecbench makes a plan, it tests the
  // plan by a decode. This decode is not timed. In this decode, the crate computes the inverse matrix of the erasure pattern. The
  // crate keeps the inverse matrices of the last 254 patterns, so timed decodes do not compute them again.
  return contenders::make_foreign_code(library, "", native_dispatch,
                                       {.k = profile.integer("k"),
                                        .m = profile.integer("m"),
                                        .kernel = "reedsolomon_gal_mul of reed-solomon-erasure, compiled for " + level,
                                        .any_k_are_enough = false});
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "rs-erasure",
      .summary = std::string("a Reed-Solomon code over GF(2^8), implemented by ") + rs_erasure_versions(),
      .default_technique = "",
      .techniques = {{
          .name = "",
          .summary = "the matrix is a Vandermonde matrix, made systematic. Any k of the k+m chunks are enough",
          .parameters = contenders::chunk_counts(
              chunk_count_limit - 1, "k+m is at most " + std::to_string(chunk_count_limit) + ", the number of elements of GF(2^8)"),
          .make = make,
      }},
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::rs_erasure

ECBENCH_PLUGIN(ecbench::rs_erasure::plugin())
