// The manifest of a chunk directory: a JSON file that describes how the chunks were made, with a digest of each chunk. Its content
// depends only on the object, the plugin, the profile and the stripe unit.

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench {

struct Manifest {
  std::string plugin;
  Profile profile;  ///< all parameters, with the defaults of those that were not given
  std::size_t object_size_bytes = 0;
  std::size_t stripe_unit_bytes = 0;  ///< 0: the object is one stripe
  std::size_t chunk_size_bytes = 0;
  std::string object_sha256;
  std::vector<std::string> chunk_sha256;  ///< by position
};

/// The manifest as JSON text.
std::string manifest_text(const Manifest& manifest);

/// Reads the manifest `file`. Returns nothing if the file does not exist. Throws Error if the file is not a manifest that this
/// version can read.
std::optional<Manifest> read_manifest(const std::filesystem::path& file);

}  // namespace ecbench
