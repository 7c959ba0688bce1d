// The plugin `jerasure`: Plank's codes as Ceph configures them, byte for byte, computed by libJerasure on GF-Complete.

#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/products.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

/// GF-Complete chooses its kernels once in a process, so every code limits them first.
Technique limited(Technique technique) {
  technique.make = [make = std::move(technique.make)](const Profile& profile, const Context& context) {
    limit_kernels(context.dispatch);
    return make(profile, context);
  };
  return technique;
}

ProductMaker product_maker(const std::string& dispatch) {
  limit_kernels(dispatch);
  return make_products;
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "jerasure",
      .summary = "Reed-Solomon, Cauchy and minimum density RAID-6 codes of libJerasure 2 on GF-Complete",
      .default_technique = "",
      .techniques = {limited(reed_sol_van()), limited(reed_sol_r6_op()), limited(cauchy_orig()), limited(cauchy_good()),
                     limited(liberation()), limited(blaum_roth()), limited(liber8tion())},
      .dispatch_levels = dispatch_levels(),
      .products = product_maker,
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::jerasure

ECBENCH_PLUGIN(ecbench::jerasure::plugin())
