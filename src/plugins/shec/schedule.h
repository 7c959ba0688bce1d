// Chooses the order in which several chunks are rebuilt, and the sources of each chunk, so that few multiplications are needed.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Returns products with the same results as recovery.products. They run one after the other, so a rebuilt chunk can be a source of
/// later products. There are two ways to compute a target: from chunks in recovery.reads, or by a coding row whose other chunks are
/// in recovery.reads or are already rebuilt. The function chooses the cheaper way for each target. The target with the lowest cost
/// comes first. Therefore the last of several lost data chunks often needs only XORs, and a lost coding chunk can be encoded again
/// from its data chunks.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
