// Computes by matrix rank whether some chunks determine other chunks. A code can recover a loss if and only if the available
// chunks determine the lost chunks. The code must be over GF(2^w). The arithmetic is separate from that of ecbench.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

using Row = std::vector<std::uint32_t>;
using Rows = std::vector<Row>;

/// Returns the n rows of the generator matrix. To find column j, encodes an object whose data chunk j is the element 1 and whose
/// other data chunks are 0. The code must treat each symbol of w = 8, 16 or 32 bits separately.
Rows generator(const ErasureCode& code, int w);

/// True if the chunks in `wanted` can be computed from the chunks in `read`.
bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w);

/// The smallest number of chunks from which the chunks in `wanted` can be computed over GF(2^8). The chunks in `erased` cannot be
/// used. Tries all sets of chunks. Returns more than n if no set is sufficient.
int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted);

/// All chunks except `erased`.
Positions without(const ErasureCode& code, const Positions& erased);

/// True if making a plan for this loss throws an Error of kind unrecoverable. Any other error fails the test.
bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted);

}  // namespace ecbench::test
