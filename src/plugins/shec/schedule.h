// Chooses the order and the sources of rebuilt chunks, for few multiplications.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products with the results of recovery.products, one after the other: each target from recovery.reads, or by a coding row whose
/// other chunks are read or already rebuilt, whichever is cheaper, the cheapest first. The last of several lost data chunks often
/// needs only XORs, and a lost coding chunk can be encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
