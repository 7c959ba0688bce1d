// Chooses the order in which several chunks are rebuilt, and the sources of each chunk, so that few multiplications are needed.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products with the same results as recovery.products. They read only chunks of recovery.reads and chunks that are already
/// rebuilt. Their order allows a rebuilt chunk to be a source of later products. There are two ways to compute a target: from
/// recovery.reads, or by a coding row whose other chunks are all available. The cheaper way is used. The target with the lowest
/// cost comes first. Therefore the last of several lost data chunks often needs only XORs, and a lost coding chunk is encoded
/// again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
