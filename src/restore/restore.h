// Decodes an object from chunk files and writes it. Chunks that are not needed check the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "erasure_code/registry.h"

namespace ecbench {

/// --chunks-in and its options.
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

}  // namespace ecbench
