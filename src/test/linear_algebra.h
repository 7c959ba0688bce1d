// Computes by matrix rank whether some chunks determine other chunks. A code can recover a loss if and only if the available
// chunks determine the lost chunks. The code must be over GF(2^w). linear_algebra.cc does not use ecbench's functions for Galois
// fields: it has its own multiplication and division.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

using Row = std::vector<std::uint32_t>;
using Rows = std::vector<Row>;

/// Returns the n rows of the generator matrix. To find column j, encodes data chunks in which the first symbol of data chunk j is 1
/// and all other symbols are 0. A symbol has w = 8, 16 or 32 bits. The code must encode each symbol separately.
Rows generator(const ErasureCode& code, int w);

/// True if the chunks in `wanted` can be computed from the chunks in `read`.
bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w);

/// Returns the smallest number of available chunks that determine the chunks in `wanted`. The chunks in `erased` are not available.
/// The code must be over GF(2^8). Tries all sets of chunks. Returns n+1 if no set is sufficient.
int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted);

/// True if making a plan for this loss throws an Error of kind unrecoverable. Any other error fails the test.
bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted);

}  // namespace ecbench::test
