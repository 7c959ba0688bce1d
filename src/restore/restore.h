// Decodes an object from chunk files, and writes the object. --chunks-out writes such chunk files, and Ceph's corpus contains such
// files. All available chunks are used. Chunks that are not needed for decoding are used to check the other chunks.

#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "erasure_code/registry.h"

namespace ecbench {

/// The values of --chunks-in and the options that belong to it.
struct RestoreRequest {
  std::string directory;              ///< directory of the chunk files
  std::string object_file;            ///< the object is written to this file; "": to `out`, see restore_object()
  std::optional<std::string> plugin;  ///< absent if not given
  Profile profile;
  std::optional<std::size_t> object_size_bytes;  ///< absent if not given
  std::optional<std::size_t> stripe_unit_bytes;  ///< absent if not given; 0: the object is one stripe
  Positions erased;                              ///< chunks that are treated as lost, sorted
  Limits limits;                                 ///< dispatch level and number of threads
};

/// Decodes and checks the object, and then writes it to request.object_file or to `out`. If there is a manifest, the code and the
/// sizes are taken from the manifest, and the digests of the chunks and of the object are compared with those in the manifest.
/// Otherwise, the code and the sizes are taken from the request. A chunk is lost if it has no file, is in request.erased, or
/// differs from the manifest. Calls `warn` with each warning.
///
/// Throws Error (bad_input) if the files do not match the code, if the object's size does not match the files, if the padding is
/// not zero, or if the request contradicts the manifest. Throws Error (unrecoverable) if too many chunks are lost. Throws Error
/// (wrong_bytes) if chunks contradict each other, if too many chunks are damaged, or if the digest of the object is wrong.
void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out,
                    const std::function<void(const std::string&)>& warn);

}  // namespace ecbench
