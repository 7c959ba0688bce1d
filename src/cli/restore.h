// --chunks-in: decodes an object from chunk files, as --chunks-out and Ceph's corpus have them, and writes it. Measures nothing.
// All available chunks are used: those that decoding does not need serve to check the others.

#pragma once

#include <iosfwd>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Decodes the object of options.chunks_in_directory and writes it to options.object_file, or to `out`, after all checks. A
/// manifest gives the code and the sizes, and its digests are verified; without one, the options give them. Chunks without a file
/// are lost, and so are those that --erased names and those that differ from the manifest. Prints warnings on standard error.
/// Throws Error: bad_input for files that do not fit the code, a size that does not fit them, padding that is not zero, or options
/// that contradict the manifest; unrecoverable if too many chunks are lost; wrong_bytes if chunks disagree, or too many are
/// damaged.
void restore_object(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
