// The plugin `lrc`: locally repairable codes as Ceph configures them, byte for byte: layers of codes of other plugins over parts of
// the chunks, so that one lost chunk is rebuilt within its group.

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
          .why = "it counts chunks, and -1 means none, as in the stored profiles of Ceph",
          .meaning = meaning};
}

Parameter text(const std::string& name, const std::string& meaning) {
  return {.name = name, .type = Parameter::Type::text, .default_value = "", .why = "", .meaning = meaning};
}

std::vector<Parameter> parameters() {
  return {
      count("k", "data chunks, in (k+m)/l groups of k*l/(k+m) each; given with m and l, or not at all"),
      count("m",
            "global coding chunks, computed from all data chunks and shared out evenly over the groups; also each group "
            "has one local coding chunk, which m does not count"),
      count("l",
            "locality: a group has l data and global coding chunks and their XOR, so that one lost chunk is rebuilt from l "
            "others; (k+m)/l is a whole number and divides k and m, as in k/m/l = 4/2/3, 8/4/3 and 8/4/6"),
      text("mapping",
           "instead of k, m and l, with layers: the positions of the data, a character for each chunk, D for data, as in "
           "__DD__DD"),
      text(
          "layers",
          R"(instead of k, m and l, with mapping: a JSON list of [map, profile], as in [["_cDD_cDD",""],["cDDD____","plugin=isa"],)"
          R"(["____cDDD",""]]: in the order given, each layer computes its c from its D and does not use _; a profile may name any )"
          "plugin; the default is jerasure with technique=reed_sol_van"),
      text("backend",
           "the plugin whose kernels compute the same bytes for all layers, where they are bytewise over GF(2^8): isa, jerasure, "
           "...; empty: the kernels of each layer's own plugin; not a parameter of Ceph")};
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
           "one layer is not a bytewise code over GF(2^8), and backends compute with matrices over that field");
  }
  return std::make_unique<LayeredCode>(std::move(shape), std::move(layers));
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "lrc",
      .summary = "locally repairable code: layers of codes of other plugins, so that one lost chunk is rebuilt within its group",
      .default_technique = "",
      .techniques = {{.name = "",
                      .summary =
                          "k, m and l, or mapping and layers; layers that are bytewise over GF(2^8) are solved together, and "
                          "recover every loss that linear algebra can; other layers decode in turn, repeatedly",
                      .parameters = parameters(),
                      .make = make}},
      .dispatch_levels = every_dispatch_level(),
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::lrc

ECBENCH_PLUGIN(ecbench::lrc::plugin())
