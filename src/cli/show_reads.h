// --show-reads: what a code reads to rebuild lost chunks, without doing it.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Prints what is read for the chunks that --erased names, else for each loss of --erasures chunks (one, if it is not given), in
/// lexicographic order: a table for people, or with --format json a line for each as src/report/reads.schema.json says. A loss that
/// cannot be recovered is a line that says so. Throws Error for another format, for a chunk that does not exist, and for more than
/// a million losses.
void show_reads(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
