// JSON files that describe an object and its chunks: the manifest of `chunks`, and files of Ceph's tools.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench {

using Json = nlohmann::ordered_json;

/// Nothing if the file does not exist. `refuse`, which must throw, gets the reason if it is not JSON, larger than `most_mebibytes`
/// or nested deeper than `most_depth`. An object of objects whose own key is `list_key` is read as a list, because its keys can be
/// equal. Throws Error if the file cannot be read.
std::optional<Json> read_json(const std::filesystem::path& file, std::size_t most_mebibytes, int most_depth,
                              const std::function<void(const std::string& why)>& refuse, const std::string& list_key = "");

// How the chunks of a directory were encoded, and digests of the object and of each chunk, as JSON. It depends only on the object,
// the plugin, the profile and the stripe unit.

struct Manifest {
  std::string plugin;
  Profile profile;  ///< all parameters; a parameter that was not given has its default value
  std::size_t object_size_bytes = 0;
  std::size_t stripe_unit_bytes = 0;  ///< 0: the object is one stripe
  std::size_t chunk_size_bytes = 0;
  std::string object_sha256;
  std::vector<std::string> chunk_sha256;  ///< [i] is the digest of the chunk at position i
};

std::string manifest_text(const Manifest& manifest);

/// Nothing if the file does not exist. Throws Error if this version cannot read it.
std::optional<Manifest> read_manifest(const std::filesystem::path& file);

/// `ceph-objectstore-tool … OBJECT dump`; digests are CRC-32C.
struct CephDump {
  std::size_t object_size_bytes = 0;
  std::string object_digest;               ///< "": Ceph has deleted the digest, because a part of the object was overwritten
  std::size_t chunk_size_bytes = 0;        ///< 0 if unknown, or if the object is empty
  std::vector<std::string> chunk_digests;  ///< by position; empty if Ceph has deleted them
  std::int64_t pool_id = 0;
};

struct CephPool {
  std::string name;
  std::string plugin;
  Profile profile;
  std::size_t chunk_count = 0;         ///< `size` of the pool; 0 if the map lacks it
  std::size_t stripe_width_bytes = 0;  ///< data chunks × stripe unit
  std::optional<std::size_t>
      requested_unit_bytes;        ///< `stripe_unit` of the profile, which the code may round up; absent if not given
  bool keeps_digests = false;      ///< the pool allows no overwrites, which delete the digests of chunks
  bool has_optimizations = false;  ///< allow_ec_optimizations
};

/// Throws Error if `file` cannot be read or is not such an output.
CephDump read_ceph_dump(const std::string& file);

/// `osdmaptool FILE --dump json` or `ceph osd dump --format json`, and the pool with this name, id, or both. Throws Error if there
/// is none, or `file` is something else.
CephPool read_pool(const std::string& file, const std::optional<std::string>& name, std::optional<std::int64_t> id);

}  // namespace ecbench
