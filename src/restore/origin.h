// Determines how the object in a chunk directory was encoded. Uses the manifest if it exists, and otherwise the request.

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
  std::size_t stripe_unit = 0;             ///< in bytes; 0: the object is one stripe
};

/// Throws Error if the request contradicts the manifest, if this build cannot make the code, or if there is no manifest and the
/// request has no plugin.
Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry);

/// The path of the manifest, whether it exists or not.
std::filesystem::path manifest_file(const RestoreRequest& request);

/// Returns "1 byte", "2 bytes", and so on.
std::string counted_bytes(std::size_t size);

}  // namespace ecbench
