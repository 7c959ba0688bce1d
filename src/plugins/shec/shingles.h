// The data chunks that each coding chunk of a SHEC code covers. A row (coding chunk) covers consecutive columns (data chunks),
// cyclically. The rows overlap; the paper calls them shingles (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local
// Parity Groups for Efficient Recovery from Multiple Disk Failures", HotDep 2014).

#pragma once

#include <vector>

namespace ecbench::shec {

/// shingles[row][column]: whether coding chunk `row` of m covers data chunk `column` of k.
using Shingles = std::vector<std::vector<bool>>;

/// One set of m rows. Each column is covered by c of these rows (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// Two sets of rows: m1 rows cover each column c1 times, and m2 = m-m1 rows cover each column c2 = c-c1 times. m1 and c1 are chosen
/// so that rebuilding a chunk reads the fewest chunks on average. If m1 and c1 are 0, there is only one set. The search is Ceph's
/// (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc). If several results are equally good, the first one is used, as in Ceph,
/// since the result determines the bytes of the code.
Shingles multiple_shingles(int k, int m, int c);

/// One set of rows, each with l columns (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

}  // namespace ecbench::shec
