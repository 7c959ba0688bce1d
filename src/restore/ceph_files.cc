#include "restore/ceph_files.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "erasure_code/error.h"
#include "restore/crc32c.h"
#include "restore/json_file.h"

namespace ecbench {
namespace {

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
