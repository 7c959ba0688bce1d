#include "plugins/lrc/layer_list.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "erasure_code/error.h"

namespace ecbench::lrc {
namespace {

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

}  // namespace

std::vector<LayerText> parse_layers(const std::string& text) {
  const Json json = parse(text, "this value");
  if (!json.is_array()) throw Error(form + "this value is " + type_of(json));
  if (json.empty()) throw Error(form + "this list is empty");
  std::vector<LayerText> layers;
  for (const Json& layer : json) layers.push_back(parse_layer(layer, "layer " + std::to_string(layers.size())));
  return layers;
}

}  // namespace ecbench::lrc
