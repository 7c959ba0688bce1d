// --show-reads: prints what a code reads to rebuild lost chunks, without rebuilding them.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Prints what is read to rebuild the chunks of --erased. Without --erased, prints this for every possible loss of N chunks, in
/// lexicographic order; N is the value of --erasures (default 1). The output is a table. With --format json, the output is one JSON
/// object per line, in the format of src/report/reads.schema.json. If the code cannot rebuild the lost chunks, the line contains
/// the reason. Throws Error for another format, for --erasures 0, for a chunk that does not exist, and for more than a million
/// losses.
void show_reads(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
