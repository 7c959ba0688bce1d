// The order in which several chunks are rebuilt, and their sources, with the fewest multiplications.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products with the same results as recovery.products, which read no other chunks, ordered so that a rebuilt chunk can be a source
/// for later ones. Each target is computed from recovery.reads, or by a coding row whose other chunks are all available, whichever
/// costs less; the cheapest target first. Therefore the last of several lost data chunks is often a single XOR, and a lost coding
/// chunk is encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
