// Decodes an object from chunk files and writes it. Chunks that are not needed check the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "erasure_code/registry.h"
#include "restore/chunk_files.h"
#include "restore/metadata.h"

namespace ecbench {

/// The arguments of `restore`.
struct RestoreRequest {
  std::string directory;              ///< directory of the chunk files
  std::string object_file;            ///< the object is written to this file; "": to `out`, see restore_object()
  std::optional<std::string> plugin;  ///< absent if not given
  Profile profile;
  std::optional<std::size_t> object_size_bytes;  ///< absent if not given
  std::optional<std::size_t> stripe_unit_bytes;  ///< absent if not given; 0: the object is one stripe
  std::optional<std::uint32_t> crc32c;           ///< digest of the object; absent if not given
  std::string ceph_dump_file;                    ///< see read_ceph_dump(); "" if not given
  std::string osdmap_file;                       ///< see read_pool(); "" if not given
  std::optional<std::string> ceph_pool;          ///< the name of the pool in osdmap_file; absent if not given
  Positions erased;                              ///< chunks that are treated as lost, sorted
  Limits limits;                                 ///< dispatch level and number of threads
};

/// Decodes, checks, and writes to request.object_file or `out`. Code, sizes and digests are from the manifest, otherwise from the
/// request and Ceph's files. A chunk is lost if it has no file, is in request.erased, or differs from its digest. `say` gets
/// warnings, and what was verified. Throws Error: bad_input (files that do not match code or size, padding that is not zero,
/// contradictions in the request), unrecoverable (too many lost chunks), wrong_bytes (chunks that contradict each other, too many
/// damaged, a wrong digest of the object).
void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out,
                    const std::function<void(const std::string&)>& say);

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
