// In which order, and from what, to rebuild several chunks with the fewest multiplications.

#pragma once

#include <vector>

#include "plugins/shec/recovery.h"

namespace ecbench::shec {

/// Products that rebuild what recovery.products do and read no other chunks, in an order in which a rebuilt chunk may serve as a
/// source of the next. Each target is taken over recovery.reads or from a coding row all of whose other chunks are at hand,
/// whichever costs less, the cheapest target first: so the last of several lost data chunks is often a mere XOR, and a lost coding
/// chunk is encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
