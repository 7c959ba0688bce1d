// The plugin `rs-erasure`: the Rust crate reed-solomon-erasure.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "foreign_code/foreign_code.h"
#include "plugins/rs-erasure/vectors.h"

// These functions are defined in src/lib.rs.
ECBENCH_FOREIGN_LIBRARY(rs_erasure)
extern "C" {
const char* rs_erasure_versions();
}

namespace ecbench::rs_erasure {
namespace {

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context&) {
  const std::string level = vectors();
  if (!cpu_has_dispatch_level(level)) {
    throw Error("plugin rs-erasure cannot run on this CPU: it was built on another machine, for CPUs with " + level +
                "; run make contenders on this machine");
  }
  // Any k chunks are enough, but with false, ecbench tests each new plan by a decode that is not timed: the crate then computes the
  // inverse matrix of the pattern, and keeps those of the last 254 patterns for the timed decodes.
  return contenders::make_foreign_code(rs_erasure_library, "", native_dispatch,
                                       {.k = profile.integer("k"),
                                        .m = profile.integer("m"),
                                        .kernel = "reedsolomon_gal_mul of reed-solomon-erasure, compiled for " + level,
                                        .any_k_are_enough = false});
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "rs-erasure",
      .summary = std::string("a Reed-Solomon code over GF(2^8), implemented by ") + rs_erasure_versions(),
      .techniques = {{
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
