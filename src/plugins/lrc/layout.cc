#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ranges>
#include <string_view>

#include "erasure_code/error.h"
#include "plugins/lrc/codes.h"

namespace ecbench::lrc {
namespace {

/// For a layer whose profile names none, and the technique with this plugin.
constexpr const char* default_plugin = "jerasure";
constexpr const char* default_technique = "reed_sol_van";

// Parses the parameter `layers` of plugin lrc.

using Json = nlohmann::json;

const std::string form = R"(the value must be a JSON list of layers such as [["DDc",""]], but )";
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view word_ends = ",; \t\r\n";

/// Ceph allows them, JSON does not.
std::string without_trailing_commas(const std::string& text) {
  std::string result;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\' && i + 1 < text.size()) result += text[i++];
    if (!in_string && text[i] == ',') {
      const std::size_t next = text.find_first_not_of(blanks, i + 1);
      if (next != std::string::npos && (text[next] == ']' || text[next] == '}')) continue;
    }
    result += text[i];
  }
  return result;
}

/// With an article: "a list".
std::string type_of(const Json& json) {
  return json.is_object() ? "a JSON object" : json.is_array() ? "a list" : std::string("a ") + json.type_name();
}

Json parse(const std::string& text, const std::string& what) {
  Json json = Json::parse(without_trailing_commas(text), nullptr, false);
  if (json.is_discarded()) throw Error(form + what + " is not JSON");
  return json;
}

Profile object_profile(const Json& object, const std::string& whose) {
  Profile profile;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string() && !value.is_number_integer() && !value.is_boolean()) {
      throw Error(form + whose + " has " + key + "=" + value.dump() + "; give a string, a whole number, true or false");
    }
    profile.add(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return profile;
}

Profile text_profile(const std::string& text, const std::string& whose) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first != std::string::npos && text[first] == '{') {
    const Json json = parse(text, whose);
    return object_profile(json, whose);
  }
  Profile profile;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(word_ends, begin)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(word_ends, begin), text.size());
    try {
      profile.add(text.substr(begin, end - begin));
    } catch (const Error& error) {
      throw Error(form + whose + " is wrong: " + error.what());
    }
    begin = end;
  }
  return profile;
}

LayerText parse_layer(const Json& json, const std::string& name) {
  if (!json.is_array() || json.empty()) {
    throw Error(form + name + " is " + (json.is_array() ? "an empty list" : type_of(json)) + "; give [map, profile]");
  }
  if (!json[0].is_string()) throw Error(form + "the map of " + name + " is " + type_of(json[0]) + "; give a string");
  LayerText layer{.map = json[0], .plugin = default_plugin, .profile = {}};
  const std::string whose = "the profile of " + name;
  if (json.size() > 1) {
    if (!json[1].is_string() && !json[1].is_object()) {
      throw Error(form + whose + " is " + type_of(json[1]) + "; give a string or a JSON object");
    }
    layer.profile = json[1].is_string() ? text_profile(json[1], whose) : object_profile(json[1], whose);
  }
  if (layer.profile.has("plugin")) layer.plugin = layer.profile.text("plugin");
  layer.profile.erase("plugin");
  if (layer.plugin == default_plugin && !layer.profile.has("technique")) layer.profile.set("technique", default_technique);
  return layer;
}

/// A JSON list of pairs [map, profile]; the profile may be missing, a JSON object, such an object in a string, or key=value
/// arguments separated by spaces, commas or semicolons. As in Ceph, further elements of a pair are ignored, and a comma before a
/// closing bracket is allowed. Defaults: default_plugin, and then default_technique. Throws Error, without the name of the
/// parameter.
std::vector<LayerText> parse_layers(const std::string& text) {
  const Json json = parse(text, "this value");
  if (!json.is_array()) throw Error(form + "this value is " + type_of(json));
  if (json.empty()) throw Error(form + "this list is empty");
  std::vector<LayerText> layers;
  for (const Json& layer : json) layers.push_back(parse_layer(layer, "layer " + std::to_string(layers.size())));
  return layers;
}

/// Ceph writes k=-1, m=-1 and l=-1 (not given) into the stored profile of a pool with mapping and layers.
bool is_given(const Profile& profile, const std::string& key) {
  const std::string text = profile.text(key);
  return !text.empty() && text != "-1";
}

/// "layers=[...] is not allowed: ..."; with k, m and l "plugin lrc: ...".
[[noreturn]] void refuse_layers(const Profile& profile, const std::string& why) {
  const std::string text = profile.text("layers");
  std::string message = text.empty() ? "plugin lrc: " + why : "layers=" + text + " is not allowed: " + why;
  std::ranges::replace_if(
      message, [](char character) { return character == '\n' || character == '\r'; }, ' ');
  throw Error(message);
}

/// "layer 1 (DDDc____)"
std::string layer_name(const Layout& layout, int layer) {
  return "layer " + std::to_string(layer) + " (" + layout.layers[index(layer)].map + ")";
}

std::string at(int position) { return "chunk " + std::to_string(position); }

/// Groups of l chunks, all with the same numbers of data chunks and of global coding chunks.
std::vector<int> sound_lengths(int k, int m) {
  std::vector<int> lengths;
  const int divisor = std::gcd(k, m);
  for (int groups = divisor; groups >= 1; groups--) {
    if (divisor % groups == 0) lengths.push_back((k + m) / groups);
  }
  return lengths;
}

[[noreturn]] void refuse_length(const Profile& profile, int k, int m, int l) {
  std::vector<int> nearest = sound_lengths(k, m);
  std::ranges::stable_sort(nearest, {}, [&](int length) { return std::abs(length - l); });
  nearest.resize(std::min<std::size_t>(nearest.size(), 2));
  std::ranges::sort(nearest);
  const std::string km = std::to_string(k) + "/" + std::to_string(m) + "/";
  std::string numbers;
  std::string triples;
  for (const int length : nearest) {
    numbers += (numbers.empty() ? "" : " or ") + std::to_string(length);
    triples += (triples.empty() ? "" : " or ") + km + std::to_string(length);
  }
  refuse(profile, "l", numbers + " (k/m/l = " + triples + ")",
         "the number of groups, (k+m)/l, must be a whole number that divides k and m; for other layouts, give mapping= and "
         "layers= instead of k, m and l");
}

Layout grouped_layout(const Profile& profile) {
  const int k = profile.integer("k");
  const int m = profile.integer("m");
  const int l = profile.integer("l");
  for (const char* key : {"k", "m"}) {
    if (profile.integer(key) < 1) refuse(profile, key, "at least 1", "the code needs data chunks and global coding chunks");
    if (profile.integer(key) > chunk_count_limit) {
      refuse(profile, key, "at most " + std::to_string(chunk_count_limit), "plugin lrc supports no more chunks");
    }
  }
  const std::vector<int> lengths = sound_lengths(k, m);
  if (std::ranges::find(lengths, l) == lengths.end()) refuse_length(profile, k, m, l);
  const int groups = (k + m) / l;
  const auto text = [](int count, char character) { return std::string(index(count), character); };
  const std::string data = text(k / groups, 'D');
  Layout layout;
  LayerText layer{.map = "", .plugin = default_plugin, .profile = {}};
  layer.profile.set("technique", default_technique);
  layout.layers.assign(index(groups + 1), layer);
  for (int group = 0; group < groups; group++) {
    layout.mapping += data + text(m / groups, '_') + "_";
    layout.layers[0].map += data + text(m / groups, 'c') + "_";
    for (int local = 0; local < groups; local++) {
      layout.layers[index(local + 1)].map += local == group ? text(l, 'D') + "c" : text(l + 1, '_');
    }
  }
  return layout;
}

/// Maps must be as long as the mapping.
void check_maps(const Profile& profile, const Layout& layout) {
  const std::size_t n = layout.mapping.size();
  for (std::size_t i = 0; i < layout.layers.size(); i++) {
    const std::string& map = layout.layers[i].map;
    const std::string name = layer_name(layout, static_cast<int>(i));
    if (map.size() != n) {
      refuse_layers(profile, name + " has " + std::to_string(map.size()) + " characters, but the mapping " + layout.mapping +
                                 " has " + std::to_string(n) + "; both need one character per chunk");
    }
  }
}

/// Each coding chunk is computed by one layer before others read it, no data chunk is, and each data chunk is in a layer.
void check_cover(const Profile& profile, const Layout& layout) {
  const std::string& mapping = layout.mapping;
  for (int position = 0; position < static_cast<int>(mapping.size()); position++) {
    const bool is_data = mapping[index(position)] == 'D';
    int computed_by = -1;
    bool is_covered = false;
    for (int i = 0; i < static_cast<int>(layout.layers.size()); i++) {
      const char kind = layout.layers[index(i)].map[index(position)];
      const std::string name = layer_name(layout, i);
      is_covered = is_covered || kind == 'D' || kind == 'c';
      if (kind == 'D' && !is_data && computed_by < 0) {
        refuse_layers(profile,
                      name + " reads " + at(position) + ", which is not a data chunk and is not computed by an earlier layer");
      }
      if (kind != 'c') continue;
      if (is_data) refuse_layers(profile, name + " computes " + at(position) + ", which is a data chunk in the mapping " + mapping);
      if (computed_by >= 0) {
        refuse_layers(profile, name + " computes " + at(position) + ", which " + layer_name(layout, computed_by) +
                                   " also computes; only one layer may compute a chunk");
      }
      computed_by = i;
    }
    if (!is_data && computed_by < 0) refuse_layers(profile, at(position) + " is not a data chunk, and no layer computes it");
    if (!is_covered) refuse_layers(profile, at(position) + " is in no layer, so it cannot be rebuilt");
  }
}

Layout written_layout(const Profile& profile) {
  Layout layout{.mapping = profile.text("mapping"), .layers = {}};
  try {
    layout.layers = parse_layers(profile.text("layers"));
  } catch (const Error& error) {
    refuse_layers(profile, error.what());
  }
  if (layout.mapping.size() > chunk_count_limit) {
    refuse(profile, "mapping", "at most " + std::to_string(chunk_count_limit) + " characters",
           "plugin lrc supports no more chunks");
  }
  if (layout.mapping.find('D') == std::string::npos) refuse(profile, "mapping", "a D for each data chunk", "it contains no D");
  check_maps(profile, layout);
  check_cover(profile, layout);
  return layout;
}

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

Layout layout_of(const Profile& profile) {
  const std::string both = "either k, m and l together, or mapping and layers together";
  const std::string why = "the layers are defined either by k, m and l, or by mapping and layers";
  const bool is_grouped = is_given(profile, "k") || is_given(profile, "m") || is_given(profile, "l");
  for (const char* key : {"mapping", "layers"}) {
    if (is_grouped && is_given(profile, key)) refuse(profile, key, both, why);
  }
  for (const char* key : {"k", "m", "l"}) {
    for (const char* other : {"k", "m", "l"}) {
      if (is_given(profile, key) && !is_given(profile, other)) {
        refuse(profile, key, std::string(key) + " together with " + other, "k, m and l together define the groups of chunks");
      }
    }
  }
  if (is_grouped) {
    Layout layout = grouped_layout(profile);
    if (layout.mapping.size() > chunk_count_limit) {
      refuse(profile, "k", "k, m and l for which k+m+(k+m)/l is at most " + std::to_string(chunk_count_limit),
             "this sum is the number of chunks, and plugin lrc supports no more chunks");
    }
    return layout;
  }
  if (is_given(profile, "mapping") && is_given(profile, "layers")) return written_layout(profile);
  for (const char* key : {"mapping", "layers"}) {
    if (is_given(profile, key)) refuse(profile, key, both, why);
  }
  throw Error("plugin lrc needs parameters for its layers; give " + both + ", for example k=4 m=2 l=3");
}

std::vector<int> positions_of(const std::string& map, char kind) {
  std::vector<int> positions;
  for (int i = 0; i < static_cast<int>(map.size()); i++) {
    if (map[index(i)] == kind) positions.push_back(i);
  }
  return positions;
}

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

Positions LrcCode::never_computed_by_ceph() const {
  Positions positions;
  bool is_computed = true;
  for (const Layer& layer : layers_ | std::views::reverse) {
    Positions numbers(layer.code->coding_positions().begin(), layer.code->coding_positions().end());
    if (is_computed) numbers = ecbench::never_computed_by_ceph(*layer.code);
    for (const int number : numbers) positions.push_back(layer.positions[index(number)]);
    is_computed = is_computed && layer.code->chunk_count() < chunk_count();
  }
  std::ranges::sort(positions);
  return positions;
}

bool LrcCode::keeps_plans_in_ceph() const {
  return std::ranges::all_of(layers_, [](const Layer& layer) { return info_of(*layer.code).keeps_plans_in_ceph(); });
}

std::string LrcCode::kernel() const {
  std::vector<std::string> names;
  for (const BenchmarkInfo* info : kernel_infos()) {
    const std::string name = info->kernel();
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return joined(names);
}

std::vector<KernelFunction> LrcCode::kernel_functions() const {
  std::vector<KernelFunction> functions;
  for (const BenchmarkInfo* info : kernel_infos()) std::ranges::copy(info->kernel_functions(), std::back_inserter(functions));
  return functions;
}

}  // namespace ecbench::lrc
