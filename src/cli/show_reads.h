// --show-reads: prints what a code reads to rebuild lost chunks, without rebuilding them.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Prints what is read to rebuild the chunks of --erased. Without --erased, prints this for each loss of --erasures chunks
/// (default: one), in lexicographic order. The output is a table. With --format json, it is a line for each loss in the format of
/// src/report/reads.schema.json. If a loss cannot be recovered, its line says so. Throws Error for another format, for a chunk that
/// does not exist, and for more than a million losses.
void show_reads(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
