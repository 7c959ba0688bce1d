// The plugin `jerasure`: Plank's codes as Ceph configures them, byte for byte, computed by libJerasure on GF-Complete.

#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/products.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "jerasure",
      .summary = "Reed-Solomon, Cauchy and minimum density RAID-6 codes of libJerasure 2 on GF-Complete",
      .default_technique = "",
      .techniques = {reed_sol_van(), reed_sol_r6_op(), cauchy_orig(), cauchy_good(), liberation(), blaum_roth(), liber8tion()},
      .dispatch_levels = dispatch_levels(),
      .set_dispatch = set_dispatch,
      .products = make_products,
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::jerasure

ECBENCH_PLUGIN(ecbench::jerasure::plugin())
