// The plugin `lrc`: locally repairable codes with the same bytes as Ceph's. A code consists of layers. Each layer is a code of
// another plugin over some of the chunks, so that one lost chunk is rebuilt within its group.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/lrc/equation_code.h"
#include "plugins/lrc/layered_code.h"

namespace ecbench::lrc {
namespace {

Parameter count(const std::string& name, const std::string& meaning) {
  return {.name = name,
          .default_value = "",
          .minimum = -1,
          .maximum = chunk_count_limit,
          .why = name + " is a number of chunks; as in Ceph's stored profiles, -1 means that " + name + " is not given",
          .meaning = meaning};
}

Parameter text(const std::string& name, const std::string& meaning) {
  return {.name = name, .type = Parameter::Type::text, .default_value = "", .why = "", .meaning = meaning};
}

std::vector<Parameter> parameters() {
  return {
      count("k", "data chunks, in (k+m)/l groups of k*l/(k+m) data chunks each. Give k, m and l together"),
      count(
          "m",
          "global coding chunks. They are computed from all data chunks, and all groups have the same number of them. In addition, "
          "each group has one local coding chunk, which m does not count"),
      count("l",
            "locality: a group has l data and global coding chunks, and one local coding chunk, which is their XOR. So one lost "
            "chunk is rebuilt from the l other chunks of its group. (k+m)/l must be a whole number that divides k and m, for "
            "example k/m/l = 4/2/3, 8/4/3 or 8/4/6"),
      text("mapping",
           "the positions of the data chunks: one character for each chunk, D for a data chunk, for example __DD__DD. Give mapping "
           "and layers together, instead of k, m and l"),
      text("layers",
           R"(a JSON list of [map, profile] pairs, for example [["_cDD_cDD",""],["cDDD____","plugin=isa"],["____cDDD",""]]. )"
           "Give mapping and layers together, instead of k, m and l. The layers are computed in this order. A layer computes its "
           "c chunks from its D chunks and does not use the _ chunks. A profile may name any plugin; the default is jerasure "
           "with technique=reed_sol_van"),
      text("backend",
           "the plugin whose kernels compute all layers: isa, jerasure, ... (default: empty; each layer then uses the kernels of "
           "its own plugin, or of jerasure if that plugin has no kernels for a given matrix). The bytes are the same with every "
           "backend. Allowed only if all layers work on single bytes over GF(2^8). Ceph has no such parameter")};
}

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context& context) {
  const Layout layout = layout_of(profile);
  std::vector<Layer> layers = make_layers(profile, layout, context.others);
  Shape shape{.data_chunk_count = 0,
              .chunk_count = static_cast<int>(layout.mapping.size()),
              .data_positions = positions_of(layout.mapping, 'D')};
  shape.data_chunk_count = static_cast<int>(shape.data_positions.size());
  const std::string backend = profile.text("backend");
  if (const std::optional<std::vector<Matrix>> matrices = bytewise_matrices(layers)) {
    std::vector<Kernels> kernels = kernels_of(layers, backend, context.others);
    return std::make_unique<EquationCode>(std::move(shape), std::move(layers), *matrices, std::move(kernels));
  }
  if (!backend.empty()) {
    refuse(profile, "backend", "no backend with these layers",
           "a layer does not work on single bytes over GF(2^8), and backends compute only with matrices over GF(2^8)");
  }
  return std::make_unique<LayeredCode>(std::move(shape), std::move(layers));
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "lrc",
      .summary = "locally repairable code: layers are codes of other plugins, and one lost chunk is rebuilt within its group",
      .default_technique = "",
      .techniques = {{.name = "",
                      .summary =
                          "defined by k, m and l, or by mapping and layers. If all layers work on single bytes over GF(2^8), their "
                          "equations are solved together. A loss is then recovered if these equations determine the lost chunks. "
                          "If not all layers work on single bytes, the layers decode one after the other, in repeated passes",
                      .parameters = parameters(),
                      .make = make}},
      .dispatch_levels = every_dispatch_level(),
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::lrc

ECBENCH_PLUGIN(ecbench::lrc::plugin())
