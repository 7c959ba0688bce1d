// --show-reads: prints what a code reads to rebuild lost chunks, without rebuilding them.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Prints what is read for the chunks of --erased, or else for each loss of --erasures chunks (default: one), in lexicographic
/// order. The output is a table, or with --format json a line for each loss in the format of src/report/reads.schema.json. For a
/// loss that cannot be recovered, a line says so. Throws Error for another format, for a chunk that does not exist, and for more
/// than a million losses.
void show_reads(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
