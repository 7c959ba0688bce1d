// Which data chunks each coding chunk of a SHEC code covers. A row covers a run of consecutive columns, cyclically, and the runs
// overlap like shingles on a roof (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local Parity Groups for Efficient
// Recovery from Multiple Disk Failures", HotDep 2014).

#pragma once

#include <vector>

namespace ecbench::shec {

/// shingles[row][column]: does coding chunk `row` of m cover data chunk `column` of k?
using Shingles = std::vector<std::vector<bool>>;

/// One roof: c rows cover every column (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// Two roofs of m1 and m2 rows that cover each column c1 and c2 times, split so that rebuilding a chunk reads least on average:
/// Ceph's search (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc), whose first best split decides the bytes.
Shingles multiple_shingles(int k, int m, int c);

/// One roof of rows of l columns each (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

}  // namespace ecbench::shec
