#include "restore/manifest.h"

#include "erasure_code/error.h"
#include "restore/json_file.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* format = "ecbench chunk set";
constexpr int version = 1;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(file.string() + " is not a manifest of --chunks-out: " + why +
              "; remove this file to use the directory without a manifest");
}

/// Checks each value.
class Reader {
 public:
  Reader(const fs::path& file, const Json& json) : file_(file), json_(json) {
    if (!json.is_object() || !json.contains("format") || json["format"] != format) {
      refuse(file, std::string("\"format\" is not \"") + format + "\"");
    }
    if (!json.contains("version") || !json["version"].is_number_unsigned() || json["version"] != version) {
      refuse(file, "\"version\" is not " + std::to_string(version) + ", the only version that this ecbench reads");
    }
  }

  std::string text(const char* key) const {
    const Json& value = this->value(key);
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      refuse(file_, named(key) + "is not a string, or is empty");
    return value.get<std::string>();
  }

  std::size_t count(const char* key) const {
    const Json& value = this->value(key);
    if (!value.is_number_unsigned() || value == 0) refuse(file_, named(key) + "is not a whole number from 1 to 2^64-1");
    return value.get<std::size_t>();
  }

  std::size_t count_or_null(const char* key) const { return value(key).is_null() ? 0 : count(key); }

  std::string digest(const char* key) const { return digest(key, value(key)); }

  std::vector<std::string> digests(const char* key) const {
    const Json& values = value(key);
    if (!values.is_array() || values.empty()) refuse(file_, named(key) + "is not a list of SHA-256 digests, or is empty");
    std::vector<std::string> result;
    for (const Json& value : values) result.push_back(digest(key, value));
    return result;
  }

  Profile profile(const char* key) const {
    const Json& values = value(key);
    if (!values.is_object()) refuse(file_, named(key) + "is not a JSON object whose values are strings");
    Profile profile;
    for (const auto& [name, value] : values.items()) {
      if (!value.is_string()) refuse(file_, named(key) + "is not a JSON object whose values are strings");
      profile.set(name, value.get<std::string>());
    }
    return profile;
  }

 private:
  static std::string named(const char* key) { return std::string("\"") + key + "\" "; }

  const Json& value(const char* key) const {
    if (!json_.contains(key)) refuse(file_, named(key) + "is missing");
    return json_[key];
  }

  std::string digest(const char* key, const Json& value) const {
    constexpr std::size_t digits = 64;
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (text.size() != digits || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
      refuse(file_, named(key) + "contains a value that is not a SHA-256 digest (64 lowercase hexadecimal digits)");
    }
    return text;
  }

  const fs::path& file_;
  const Json& json_;
};

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  const Json json{{"format", format},
                  {"version", version},
                  {"plugin", manifest.plugin},
                  {"profile", manifest.profile.values()},
                  {"object_size", manifest.object_size_bytes},
                  {"stripe_unit", manifest.stripe_unit_bytes == 0 ? Json(nullptr) : Json(manifest.stripe_unit_bytes)},
                  {"chunk_size", manifest.chunk_size_bytes},
                  {"object_sha256", manifest.object_sha256},
                  {"chunk_sha256", manifest.chunk_sha256}};
  return json.dump(2) + "\n";
}

std::optional<Manifest> read_manifest(const fs::path& file) {
  constexpr std::size_t most_mebibytes = 16;  // a manifest of 65536 chunks has 4.5 MiB
  const std::optional<Json> json = read_json(file, most_mebibytes, 4, [&](const std::string& why) { refuse(file, why); });
  if (!json) return std::nullopt;
  const Reader reader(file, *json);
  return Manifest{.plugin = reader.text("plugin"),
                  .profile = reader.profile("profile"),
                  .object_size_bytes = reader.count("object_size"),
                  .stripe_unit_bytes = reader.count_or_null("stripe_unit"),
                  .chunk_size_bytes = reader.count("chunk_size"),
                  .object_sha256 = reader.digest("object_sha256"),
                  .chunk_sha256 = reader.digests("chunk_sha256")};
}

}  // namespace ecbench
