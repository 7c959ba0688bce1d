// The plugin `jerasure`: Plank's codes, computed by libJerasure with GF-Complete. The chunks contain the same bytes as the chunks
// of Ceph's plugin jerasure.

#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/gf_complete_kernels.h"
#include "plugins/jerasure/packet_code.h"
#include "plugins/jerasure/products.h"
#include "plugins/jerasure/techniques.h"

namespace ecbench::jerasure {
namespace {

/// GF-Complete chooses its kernels when the first field of a process is set up, so limit_kernels() comes before. It throws Error if
/// another level is in use.
Technique limited(Technique technique) {
  technique.make = [make = std::move(technique.make)](const Profile& profile, const Context& context) {
    limit_kernels(context.dispatch);
    return make(profile, context);
  };
  return technique;
}

std::vector<Technique> techniques() {
  std::vector<Technique> all{limited(reed_sol_van()), limited(reed_sol_r6_op())};
  const auto make = [](PacketMatrix matrix, const PacketLayout& layout, const Context&) {
    return make_packet_code(matrix, layout);
  };
  for (Technique& technique : packet_techniques(make)) all.push_back(limited(std::move(technique)));
  return all;
}

ProductMaker product_maker(const std::string& dispatch) {
  limit_kernels(dispatch);
  return make_products;
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "jerasure",
      .summary = "Reed-Solomon, Cauchy and minimum density RAID-6 codes of libJerasure 2 with GF-Complete",
      .default_technique = "",
      .techniques = techniques(),
      .dispatch_levels = dispatch_levels(),
      .products = product_maker,
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::jerasure

ECBENCH_PLUGIN(ecbench::jerasure::plugin())
