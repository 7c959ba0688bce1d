// Which chunks determine which, by rank: what a code over GF(2^w) can recover at all, computed without the product's arithmetic.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

using Row = std::vector<std::uint32_t>;
using Rows = std::vector<Row>;

/// The n rows of the generator matrix, found by encoding: what each chunk holds of an object whose data chunk j is the element 1
/// and the others 0. For codes that work on each symbol of w = 8, 16 or 32 bits separately.
Rows generator(const ErasureCode& code, int w);

/// True if the chunks `read` determine the chunks `wanted`.
bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w);

/// The fewest chunks but `erased` that determine `wanted`, over GF(2^8); more than n if none do. Tries all sets of them.
int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted);

/// All chunks but `erased`.
Positions without(const ErasureCode& code, const Positions& erased);

/// True if there is no plan for that. Fails the test for an error of another kind than unrecoverable.
bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted);

}  // namespace ecbench::test
