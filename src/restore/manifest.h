// How the chunks of a directory were encoded, and digests of the object and of each chunk, as JSON. It depends only on the object,
// the plugin, the profile and the stripe unit.

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

}  // namespace ecbench
