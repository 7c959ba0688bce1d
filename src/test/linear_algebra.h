// Which chunks determine which others, by matrix rank: the losses that a code over GF(2^w) can recover at all. Computed without the
// product's arithmetic.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

using Row = std::vector<std::uint32_t>;
using Rows = std::vector<Row>;

/// The n rows of the generator matrix, found by encoding objects in which one data chunk is the element 1 and the others are 0. For
/// codes that treat each symbol of w = 8, 16 or 32 bits separately.
Rows generator(const ErasureCode& code, int w);

/// True if the chunks `read` determine the chunks `wanted`.
bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w);

/// The smallest number of chunks, without `erased`, that determine `wanted` over GF(2^8); more than n if there are none. Tries all
/// sets.
int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted);

/// All chunks except `erased`.
Positions without(const ErasureCode& code, const Positions& erased);

/// True if planning this throws unrecoverable. Any other error fails the test.
bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted);

}  // namespace ecbench::test
