// --chunks-in: an object is decoded from chunk files, as --chunks-out and Ceph's corpus have them, and written; nothing is
// measured. Whatever chunks are there beyond those that decoding needs serve to check it.

#pragma once

#include <iosfwd>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Decodes the object that options.chunks_in_directory holds and writes it to options.object_file, or to `out`; not a byte of it
/// before all is known to be right. Chunks without a file are lost, and so are those that --erased names. Says on standard error
/// what the user should know. Throws Error: bad_input for files that do not fit the code, for a size that does not fit them, or
/// where the bytes behind the object are not zero; unrecoverable if too much is lost; wrong_bytes if chunks disagree.
void restore_object(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
