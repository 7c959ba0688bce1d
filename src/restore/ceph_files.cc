#include "restore/ceph_files.h"

#include <algorithm>

#include "erasure_code/error.h"
#include "restore/crc32c.h"
#include "restore/json_file.h"

namespace ecbench {
namespace {

constexpr std::size_t most_mebibytes = 256;  // the OSD map of a cluster with 10,000 OSDs has about 20 MiB
constexpr int most_depth = 64;

class File {
 public:
  File(std::string option, const std::string& path, std::string expected)
      : option_(std::move(option) + " " + path), expected_(std::move(expected)) {
    std::optional<Json> json = read_json(path, most_mebibytes, most_depth, [&](const std::string& why) { refuse(why); });
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
  for (const Json& shard : file.list(hinfo, "cumulative_shard_hashes")) {
    if (file.number(shard, "shard") != digests.size()) file.refuse("\"cumulative_shard_hashes\" is not in the order of the shards");
    digests.push_back(crc32c_text(static_cast<std::uint32_t>(file.number(shard, "hash"))));
  }
  return digests;
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
  if (!dump.chunk_digests.empty()) dump.chunk_size_bytes = file.number(hinfo, "total_chunk_size");
  return dump;
}

CephPool read_pool(const std::string& path, const std::optional<std::string>& name, std::optional<std::int64_t> id) {
  const File file("--osdmap", path, "'osdmaptool FILE --dump json' or 'ceph osd dump --format json'");
  const std::string wanted =
      (name ? "pool " + *name : "") + (name && id ? " with " : "") + (id ? "the pool id " + std::to_string(*id) : "");
  for (const Json& pool : file.list(file.json(), "pools")) {
    if (id && static_cast<std::int64_t>(file.number(pool, "pool")) != *id) continue;
    if (name && file.text(pool, "pool_name") != *name) continue;
    const std::string profile_name = file.text(pool, "erasure_code_profile");
    const std::uint64_t width = file.number(pool, "stripe_width");
    if (profile_name.empty() || width == 0) file.refuse_pool(wanted + ", but this pool is not erasure-coded; give the right pool");
    const Json& profile = file.value(file.value(file.json(), "erasure_code_profiles"), profile_name.c_str());
    CephPool found{.plugin = file.text(profile, "plugin"), .stripe_width_bytes = width};
    for (const auto& [key, value] : profile.items()) found.profile.set(key, file.text(profile, key.c_str()));
    for (const char* key : {"plugin", "stripe_unit", "directory"}) found.profile.erase(key);
    return found;
  }
  file.refuse_pool("no " + wanted + "; give the map of the cluster that contains the object, and the right pool");
}

}  // namespace ecbench
