// The data chunks that each coding chunk of a SHEC code covers. A row (coding chunk) covers consecutive columns (data chunks),
// cyclically. The rows overlap; the paper calls them shingles (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local
// Parity Groups for Efficient Recovery from Multiple Disk Failures", HotDep 2014).

#pragma once

#include <vector>

namespace ecbench::shec {

/// shingles[row][column] is true if coding chunk `row` (0 to m-1) covers data chunk `column` (0 to k-1).
using Shingles = std::vector<std::vector<bool>>;

/// One set of m rows. Each column is covered by c of these rows (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// Two sets of rows: m1 rows cover each column c1 times, and m2 = m-m1 rows cover each column c2 = c-c1 times. m1 and c1 are chosen
/// so that rebuilding a chunk reads the fewest chunks on average. If m1 and c1 are 0, there is only one set. The search is the same
/// as in Ceph (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc), because m1 and c1 determine the bytes of the coding chunks.
/// If several values of m1 and c1 are equally good, the first values are used, as in Ceph.
Shingles multiple_shingles(int k, int m, int c);

/// One set of m rows. Each row covers l columns (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

}  // namespace ecbench::shec
