// The plugin `lrc`: locally repairable codes. Coding chunks have the same bytes as in Ceph. A code consists of layers. Each layer
// is a code of another plugin over some of the chunks. Therefore a single lost chunk is rebuilt from chunks of only one layer.

#include "erasure_code/plugin.h"

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "plugins/lrc/codes.h"

namespace ecbench::lrc {
namespace {

Parameter count(const std::string& name, const std::string& meaning) {
  return number_parameter(name, "", -1, chunk_count_limit,
                          name + " is a number of chunks; as in Ceph's stored profiles, -1 means that " + name + " is not given",
                          meaning);
}

std::vector<Parameter> parameters() {
  return {
      count("k", "data chunks. They are divided into (k+m)/l groups of k*l/(k+m) data chunks each. Give k, m and l together"),
      count("m",
            "global coding chunks. Each of them is computed from all data chunks. Each group contains m*l/(k+m) global coding "
            "chunks. In addition, each group has one local coding chunk, which is not included in m"),
      count("l",
            "locality: each group has l chunks that are data chunks or global coding chunks. In addition, each group has one local "
            "coding chunk, which is the XOR of these l chunks. So one lost chunk is rebuilt from the l other chunks of its group. "
            "(k+m)/l must be a whole number that divides k and m, for example k/m/l = 4/2/3, 8/4/3 or 8/4/6"),
      text_parameter(
          "mapping", "",
          "one character for each chunk: D for a data chunk, _ for a coding chunk. Example: __DD__DD. Give mapping and layers "
          "together, instead of k, m and l"),
      text_parameter(
          "layers", "",
          R"(a JSON list of [map, profile] pairs, for example [["_cDD_cDD",""],["cDDD____","plugin=isa"],["____cDDD",""]]. )"
          "Give mapping and layers together, instead of k, m and l. The layers are computed in the order of this list. A map has "
          "one character for each chunk: D for a chunk that the layer reads, c for a chunk that it computes, and _ for a chunk "
          "that it does not use. A profile may name any plugin; the default is jerasure with technique=reed_sol_van"),
      text_parameter(
          "backend", "",
          "the plugin whose kernels compute all layers: isa, jerasure, ... Without this parameter, each layer uses the kernels of "
          "its own plugin. If that plugin has no kernels that multiply by a given matrix, the layer uses the kernels of jerasure. "
          "The bytes are the same with every backend. A backend is allowed only if each layer works on single bytes over GF(2^8), "
          "and computes no chunk that is always zero. Ceph does not have this parameter")};
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
    return make_equation_code(std::move(shape), std::move(layers), *matrices, std::move(kernels));
  }
  if (!backend.empty()) {
    refuse(profile, "backend", "no backend with these layers",
           "each layer must work on single bytes over GF(2^8), and must not compute a chunk that is always zero");
  }
  return make_layered_code(std::move(shape), std::move(layers));
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "lrc",
      .summary =
          "locally repairable code: each layer is a code of another plugin, and one lost chunk is rebuilt from other chunks "
          "of its group",
      .techniques = {{.summary =
                          "the code is defined by k, m and l, or by mapping and layers. If all layers work on single bytes over "
                          "GF(2^8), their equations are solved together. A loss is then recovered if these equations determine "
                          "the lost chunks. If a layer does not work on single bytes, the layers decode one after the other, in "
                          "repeated passes",
                      .parameters = parameters(),
                      .make = make}},
      .dispatch_levels = every_dispatch_level(),
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::lrc

ECBENCH_PLUGIN(ecbench::lrc::plugin())
