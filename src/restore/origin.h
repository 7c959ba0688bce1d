// How the object of a chunk folder was encoded: from its manifest, else from the request.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "restore/manifest.h"
#include "restore/restore.h"

namespace ecbench {

struct Origin {
  std::unique_ptr<ErasureCode> code;
  std::optional<std::size_t> object_size;  ///< in bytes, if it is known
  std::size_t stripe_unit = 0;             ///< in bytes; 0: one stripe
};

/// Throws Error if the request contradicts the manifest, if this build has no such code, or if there is neither a manifest nor a
/// plugin.
Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry);

/// Where the manifest is, whether it exists or not.
std::filesystem::path manifest_file(const RestoreRequest& request);

/// "1 byte", "2 bytes".
std::string counted_bytes(std::size_t size);

}  // namespace ecbench
