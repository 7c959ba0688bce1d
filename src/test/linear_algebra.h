// Computes by matrix rank which chunks determine which other chunks. These are the losses that any decoder of a code over GF(2^w)
// can recover. The product's own arithmetic is not used.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

using Row = std::vector<std::uint32_t>;
using Rows = std::vector<Row>;

/// The n rows of the generator matrix. They are found by encoding objects in which one data chunk is the element 1 and all others
/// are 0. The code must treat each symbol of w = 8, 16 or 32 bits separately.
Rows generator(const ErasureCode& code, int w);

/// True if the chunks `read` determine the chunks `wanted`.
bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w);

/// The smallest number of chunks, not in `erased`, that determine `wanted` over GF(2^8). More than n if no chunks determine
/// `wanted`. Tries all sets.
int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted);

/// All chunks except `erased`.
Positions without(const ErasureCode& code, const Positions& erased);

/// True if making a plan for this loss throws the error unrecoverable. Any other error fails the test.
bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted);

}  // namespace ecbench::test
