// Chooses the order in which several chunks are rebuilt, and the sources of each chunk, so that few multiplications are needed.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products with the same results as recovery.products. They read no other chunks, and are ordered so that a rebuilt chunk can be a
/// source of later products. A target is computed either from recovery.reads, or by a coding row whose other chunks are all
/// available, whichever costs less. The cheapest target comes first. Therefore the last of several lost data chunks often needs
/// only XORs, and a lost coding chunk is encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
