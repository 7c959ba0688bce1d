#include "restore/metadata.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "erasure_code/error.h"
#include "restore/chunk_files.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;
using Refuse = std::function<void(const std::string& why)>;

[[noreturn]] void fail_to_read(const fs::path& file) { throw Error("cannot read " + file.string() + ": " + std::strerror(errno)); }

std::string text_of(const fs::path& file, const Descriptor& descriptor, std::size_t most_mebibytes, const Refuse& refuse) {
  struct stat status {};
  if (fstat(descriptor.number(), &status) != 0) fail_to_read(file);
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  if (static_cast<std::size_t>(status.st_size) > most_mebibytes << 20) {
    refuse("it is larger than " + std::to_string(most_mebibytes) + " MiB");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t size = read(descriptor.number(), text.data() + got, text.size() - got);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_to_read(file);
    if (size == 0) break;
    got += static_cast<std::size_t>(size);
  }
  text.resize(got);
  return text;
}

/// Makes lists of the objects with the key `list_key`. Of values with equal keys, nlohmann::json keeps only one.
class ListMaker {
 public:
  explicit ListMaker(const std::string& list_key) : list_key_(list_key) {}

  void see(Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      const bool is_found = event == Event::object_start && !open_.empty() && !list_key_.empty() && open_.back().key == list_key_;
      open_.emplace_back().is_found = is_found;
    } else if (event == Event::key) {
      open_.back().key = parsed.get<std::string>();
    } else if (event == Event::object_end || event == Event::array_end) {
      if (open_.back().is_found) parsed = open_.back().values;
      open_.pop_back();
      if (!open_.empty() && open_.back().is_found) open_.back().values.push_back(parsed);
    }
  }

 private:
  /// An object or a list that the parser has not yet finished.
  struct Open {
    std::string key;  // the last one of an object
    bool is_found = false;
    Json values = Json::array();  // if it is found
  };

  const std::string& list_key_;
  std::vector<Open> open_;
};

constexpr const char* format = "ecbench chunk set";
constexpr int version = 1;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(file.string() + " is not a manifest of ecbench chunks: " + why +
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

constexpr std::size_t most_mebibytes = 256;  // the OSD map of a cluster with 10,000 OSDs has about 20 MiB
constexpr int most_depth = 64;
constexpr std::uint64_t type_of_coded_pools = 3;
constexpr const char* chunk_hashes = "cumulative_shard_hashes";  // up to Luminous an object with equal keys

class File {
 public:
  File(std::string option, const std::string& path, std::string expected)
      : option_(std::move(option) + " " + path), expected_(std::move(expected)) {
    std::optional<Json> json = read_json(
        path, most_mebibytes, most_depth, [&](const std::string& why) { refuse(why); }, chunk_hashes);
    if (!json) throw Error("cannot read " + option_ + ": No such file or directory");
    json_ = std::move(*json);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(option_ + " is not allowed: " + why + "; give the output of " + expected_);
  }

  [[noreturn]] void refuse_pool(const std::string& why) const { throw Error(option_ + " has " + why); }

  const Json& json() const { return json_; }

  const Json& value(const Json& parent, const char* key) const {
    if (!parent.is_object() || !parent.contains(key)) refuse(std::string("\"") + key + "\" is missing");
    return parent[key];
  }

  std::string text(const Json& parent, const char* key) const {
    const Json& found = value(parent, key);
    if (!found.is_string()) refuse(std::string("\"") + key + "\" is not a string");
    return found.get<std::string>();
  }

  std::uint64_t number(const Json& parent, const char* key) const {
    const Json& found = value(parent, key);
    if (!found.is_number_unsigned()) refuse(std::string("\"") + key + "\" is not a whole number");
    return found.get<std::uint64_t>();
  }

  const Json& list(const Json& parent, const char* key) const {
    const Json& found = value(parent, key);
    if (!found.is_array()) refuse(std::string("\"") + key + "\" is not a list");
    return found;
  }

 private:
  std::string option_;
  std::string expected_;
  Json json_;
};

std::vector<std::string> chunk_digests(const File& file, const Json& hinfo) {
  std::vector<std::string> digests;
  for (const Json& shard : file.list(hinfo, chunk_hashes)) {
    if (file.number(shard, "shard") != digests.size())
      file.refuse(std::string("\"") + chunk_hashes + "\" is not in the order of the shards");
    digests.push_back(crc32c_text(static_cast<std::uint32_t>(file.number(shard, "hash"))));
  }
  return digests;
}

/// As Ceph reads it: "4096", "4K", "4Ki".
std::optional<std::size_t> parse_unit(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string suffix(end, text.data() + text.size());
  const std::size_t exponent = std::string_view("BKMG").find(suffix.empty() ? 'B' : suffix.front());
  const bool is_suffix = suffix.size() < 2 || (suffix.size() == 2 && suffix.back() == 'i' && exponent > 0);
  constexpr std::size_t bits_per_step = 10;
  constexpr std::size_t most = std::size_t{1} << 30;
  if (error != std::errc() || exponent == std::string_view::npos || !is_suffix || number == 0) return std::nullopt;
  return number > most ? std::nullopt : std::optional(number << bits_per_step * exponent);
}

}  // namespace

std::optional<Json> read_json(const fs::path& file, std::size_t most_mebibytes, int most_depth, const Refuse& refuse,
                              const std::string& list_key) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open() && errno == ENOENT && !fs::is_symlink(file)) return std::nullopt;
  if (!descriptor.is_open()) fail_to_read(file);
  // With deeply nested lists, the parsed value could be 60 times as large as the file.
  ListMaker lists(list_key);
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > most_depth) refuse("it is nested too deeply");
    lists.see(event, parsed);
    return true;
  };
  try {
    return Json::parse(text_of(file, descriptor, most_mebibytes, refuse), check);
  } catch (const Json::exception&) {
    refuse("it is not JSON");
    throw;
  }
}

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

CephDump read_ceph_dump(const std::string& path) {
  const File file("--ceph-dump", path, "'ceph-objectstore-tool --data-path PATH OBJECT dump'");
  const Json& info = file.value(file.json(), "info");
  CephDump dump{.object_size_bytes = file.number(info, "size"),
                .pool_id = static_cast<std::int64_t>(file.number(file.value(info, "oid"), "pool"))};
  // Without this flag, the value of data_digest is not the digest of the object.
  const Json& flags = file.list(info, "flags");
  if (std::ranges::find(flags, "data_digest") != flags.end()) dump.object_digest = file.text(info, "data_digest");
  if (std::ranges::find(flags, "whiteout") != flags.end()) {
    throw Error("--ceph-dump " + path + " describes a deleted object; restore its clones, which have dumps of their own");
  }
  if (!file.json().contains("hinfo")) return dump;
  const Json& hinfo = file.json()["hinfo"];
  dump.chunk_digests = chunk_digests(file, hinfo);
  dump.chunk_size_bytes = file.number(hinfo, "total_chunk_size");
  return dump;
}

CephPool read_pool(const std::string& path, const std::optional<std::string>& name, std::optional<std::int64_t> id) {
  const File file("--osdmap", path, "'osdmaptool FILE --dump json' or 'ceph osd dump --format json'");
  const std::string wanted =
      name ? "pool " + *name + (id ? " with id " + std::to_string(*id) : "") : "pool id " + std::to_string(*id);
  for (const Json& pool : file.list(file.json(), "pools")) {
    if (id && static_cast<std::int64_t>(file.number(pool, "pool")) != *id) continue;
    if (name && file.text(pool, "pool_name") != *name) continue;
    const std::string profile_name = file.text(pool, "erasure_code_profile");
    const std::uint64_t width = file.number(pool, "stripe_width");
    const bool is_coded = !pool.contains("type") || file.number(pool, "type") == type_of_coded_pools;
    if (profile_name.empty() || width == 0 || !is_coded) {
      file.refuse_pool(wanted + ", but this pool is not erasure-coded; give the right pool");
    }
    const Json& profile = file.value(file.value(file.json(), "erasure_code_profiles"), profile_name.c_str());
    CephPool found{.name = file.text(pool, "pool_name"),
                   .plugin = file.text(profile, "plugin"),
                   .chunk_count = pool.contains("size") ? file.number(pool, "size") : 0,
                   .stripe_width_bytes = width};
    for (const auto& [key, value] : profile.items()) found.profile.set(key, file.text(profile, key.c_str()));
    if (found.profile.has("stripe_unit")) {
      found.requested_unit_bytes = parse_unit(found.profile.text("stripe_unit"));
      if (!found.requested_unit_bytes) file.refuse("stripe_unit=" + found.profile.text("stripe_unit") + " is not a size");
    }
    for (const char* key : {"plugin", "stripe_unit"}) found.profile.erase(key);
    const std::string flags = pool.contains("flags_names") ? file.text(pool, "flags_names") : "ec_overwrites";
    found.has_optimizations = flags.find("ec_optimizations") != std::string::npos;
    found.keeps_digests = !found.has_optimizations && flags.find("ec_overwrites") == std::string::npos;
    return found;
  }
  file.refuse_pool("no " + wanted + "; give the map of the cluster that contains the object, and the right pool");
}

}  // namespace ecbench
