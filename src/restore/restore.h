// Decodes an object from chunk files, as --chunks-out and Ceph's corpus have them, and writes it. All available chunks are used:
// those that decoding does not need check the others.

#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "erasure_code/registry.h"

namespace ecbench {

/// What --chunks-in and the options that go with it ask for.
struct RestoreRequest {
  std::string directory;              ///< of the chunk files
  std::string object_file;            ///< where the object is written; "" for the stream
  std::optional<std::string> plugin;  ///< if it is given
  Profile profile;
  std::optional<std::size_t> object_size_bytes;  ///< if it is given
  std::optional<std::size_t> stripe_unit_bytes;  ///< if it is given; 0: the object is one stripe
  Positions erased;                              ///< chunks that are treated as lost, sorted
};

/// Decodes the object and writes it to request.object_file, or to `out`, after all checks. A manifest gives the code and the sizes,
/// and its digests are verified; without one, the request gives them. Chunks without a file are lost, and so are those that are
/// erased and those that differ from the manifest. Calls `warn` with each warning. Throws Error: bad_input for files that do not
/// fit the code, a size that does not fit them, padding that is not zero, or a request that contradicts the manifest; unrecoverable
/// if too many chunks are lost; wrong_bytes if chunks disagree, or too many are damaged.
void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out,
                    const std::function<void(const std::string&)>& warn);

}  // namespace ecbench
