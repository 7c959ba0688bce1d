// The data chunks that each coding chunk of a SHEC code covers. A row covers consecutive columns, cyclically, and the rows overlap
// like shingles on a roof (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local Parity Groups for Efficient Recovery from
// Multiple Disk Failures", HotDep 2014).

#pragma once

#include <vector>

namespace ecbench::shec {

/// shingles[row][column]: whether coding chunk `row` of m covers data chunk `column` of k.
using Shingles = std::vector<std::vector<bool>>;

/// One roof, in which c rows cover every column (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// Two roofs of m1 and m2 rows that cover each column c1 and c2 times. They are chosen so that rebuilding a chunk reads the fewest
/// chunks on average. This is Ceph's search (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc), whose first best result
/// determines the bytes.
Shingles multiple_shingles(int k, int m, int c);

/// One roof whose rows have l columns each (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

}  // namespace ecbench::shec
