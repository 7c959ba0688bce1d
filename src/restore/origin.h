// Finds out how the object of a chunk directory was encoded: from the manifest if it exists, otherwise from the request.

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
  std::optional<std::size_t> object_size;  ///< in bytes; absent if it is unknown
  std::size_t stripe_unit = 0;             ///< in bytes; 0: one stripe
};

/// Throws Error if the request contradicts the manifest, if this build does not have the code, or if there is neither a manifest
/// nor a plugin.
Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry);

/// The path of the manifest, whether it exists or not.
std::filesystem::path manifest_file(const RestoreRequest& request);

/// Returns "1 byte", "2 bytes", and so on.
std::string counted_bytes(std::size_t size);

}  // namespace ecbench
