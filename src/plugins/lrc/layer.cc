#include "plugins/lrc/layer.h"

#include <algorithm>
#include <ranges>

#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"

namespace ecbench::lrc {
namespace {

Layer make_layer(const Layout& layout, int number, Plugins& others) {
  const LayerText& text = layout.layers[index(number)];
  Layer layer{.name = layer_name(layout, number), .positions = positions_of(text.map, 'D'), .code = nullptr, .kernels = {}};
  const std::vector<int> computed = positions_of(text.map, 'c');
  const int k = static_cast<int>(layer.positions.size());
  const int n = k + static_cast<int>(computed.size());
  layer.positions.insert(layer.positions.end(), computed.begin(), computed.end());
  Profile profile = text.profile;
  for (const auto& [key, count] : {std::pair("k", k), std::pair("m", n - k)}) {
    if (!profile.has(key)) profile.set(key, std::to_string(count));
  }
  layer.code = others.code(text.plugin, profile);
  layer.kernels = profile.text("backend").empty() ? text.plugin : profile.text("backend");
  if (layer.code->data_chunk_count() != k || layer.code->chunk_count() != n) {
    throw Error("its map has " + std::to_string(k) + " D and " + std::to_string(n - k) + " c, but its profile makes " +
                std::to_string(layer.code->data_chunk_count()) + " data and " + std::to_string(layer.code->coding_chunk_count()) +
                " coding chunks");
  }
  if (!layer.code->is_in_order())
    throw Error("its profile has a mapping; remove the mapping, because the map of the layer gives the positions");
  return layer;
}

}  // namespace

std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others) {
  std::vector<Layer> layers;
  for (int number = 0; number < static_cast<int>(layout.layers.size()); number++) {
    try {
      layers.push_back(make_layer(layout, number, others));
    } catch (const Error& error) {
      refuse_layers(profile, "in " + layer_name(layout, number) + ", " + error.what());
    }
  }
  return layers;
}

Positions never_computed_by_ceph(const std::vector<Layer>& layers, int chunk_count) {
  Positions positions;
  bool is_computed = true;
  for (const Layer& layer : layers | std::views::reverse) {
    Positions numbers(layer.code->coding_positions().begin(), layer.code->coding_positions().end());
    if (is_computed) numbers = ecbench::never_computed_by_ceph(*layer.code);
    for (const int number : numbers) positions.push_back(layer.positions[index(number)]);
    is_computed = is_computed && layer.code->chunk_count() < chunk_count;
  }
  std::ranges::sort(positions);
  return positions;
}

std::string joined_kernels(const std::vector<std::string>& names) {
  std::string text;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty() || std::find(names.begin(), name, *name) != name) continue;
    text += (text.empty() ? "" : ", ") + *name;
  }
  return text;
}

}  // namespace ecbench::lrc
