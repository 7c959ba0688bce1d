// How the object in a chunk directory was encoded, and its digests: from the manifest, otherwise from the request and Ceph's files.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "restore/chunk_files.h"
#include "restore/metadata.h"
#include "restore/restore.h"

namespace ecbench {

struct Origin {
  std::unique_ptr<ErasureCode> code;
  std::optional<std::size_t> object_size;  ///< in bytes; absent if it is unknown
  std::size_t stripe_unit = 0;             ///< in bytes; 0: the object is one stripe
  ExpectedChunks chunks;
  std::string object_digest;       ///< "" if it is unknown
  std::string digests_source;      ///< the option or the file that has the digests; "" if there is none
  bool has_optimizations = false;  ///< allow_ec_optimizations of the pool: shards can be shorter than chunks
};

/// Throws Error if options contradict each other or the manifest, or the code is unknown or cannot be made.
Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry);

/// Whether it exists or not.
std::filesystem::path manifest_file(const RestoreRequest& request);

/// "1 byte", "2 bytes", ...
std::string counted_bytes(std::size_t size);

}  // namespace ecbench
