// The plugin `isa`: Reed-Solomon codes over GF(2^8). Intel's ISA-L computes them. The bytes are the same as in Ceph's plugin isa.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "plugins/isa/isa_code.h"

namespace ecbench::isa {
namespace {

constexpr int vandermonde_k_limit = 32;
constexpr int vandermonde_k_limit_for_four = 21;

Parameter data_chunks(long maximum, const std::string& why) { return number_parameter("k", "7", 2, maximum, why, "data chunks"); }

Parameter coding_chunks(long maximum, const std::string& why) {
  return number_parameter("m", "3", 1, maximum, "without coding chunks, no lost chunk can be rebuilt, and " + why, "coding chunks");
}

std::unique_ptr<ErasureCode> make_reed_sol_van(const Profile& profile, const Context& context) {
  if (profile.integer("m") == 4 && profile.integer("k") > vandermonde_k_limit_for_four) {
    refuse(profile, "k", "at most " + std::to_string(vandermonde_k_limit_for_four),
           "with m=4 and a larger k, ISA-L's Vandermonde matrix cannot recover every loss of four chunks; for a larger k, use "
           "technique=cauchy");
  }
  return make_isa_code(mapped_shape(profile), Matrix::vandermonde, kernels_of(context.dispatch));
}

std::unique_ptr<ErasureCode> make_cauchy(const Profile& profile, const Context& context) {
  if (profile.integer("k") + profile.integer("m") > chunk_count_limit) {
    refuse(profile, "k", "a k for which k+m is at most " + std::to_string(chunk_count_limit) + " (m is " + profile.text("m") + ")",
           "each chunk needs its own element of GF(2^8), which has only 256 elements");
  }
  return make_isa_code(mapped_shape(profile), Matrix::cauchy, kernels_of(context.dispatch));
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "isa",
      .summary = "Reed-Solomon codes over GF(2^8), computed by Intel's ISA-L",
      .default_technique = "reed_sol_van",
      .techniques = {{.name = "reed_sol_van",
                      .summary = "a code from a Vandermonde matrix, with m up to 4",
                      .parameters = {data_chunks(vandermonde_k_limit, "Ceph allows at most 32, and k=1 would be replication"),
                                     coding_chunks(4,
                                                   "with m > 4 and k > 5, ISA-L's Vandermonde matrix cannot recover every loss of "
                                                   "m chunks (technique=cauchy can)"),
                                     mapping_parameter()},
                      .make = make_reed_sol_van},
                     {.name = "cauchy",
                      .summary = "a code from a Cauchy matrix, with m up to 32",
                      .parameters = {data_chunks(chunk_count_limit - 1, "k+m is at most 256, and k=1 would be replication"),
                                     coding_chunks(32, "Ceph allows at most 32"), mapping_parameter()},
                      .make = make_cauchy}},
      .dispatch_levels = dispatch_levels(),
      .products = product_maker,
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::isa

ECBENCH_PLUGIN(ecbench::isa::plugin())
