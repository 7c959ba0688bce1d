// The positions of the sub-chunks of a Clay code, and the pairs of sub-chunks that are coupled. The source is Vajha et al., "Clay
// Codes: Moulding MDS Codes to Yield an MSR Code", FAST 2018. Nodes and planes have the same numbers as in ErasureCodeClay.cc. The
// nodes of the code form a grid of q columns and t rows. A row is called a group. Node v is in column x = v mod q and in group
// y = floor(v / q). The first nodes are the k data chunks, the next are virtual nodes, and the last are the m coding chunks.
// Virtual nodes make the number of nodes a multiple of q. They contain zeros and are not stored. A chunk has one sub-chunk for each
// of the q^t planes. The number z of a plane has t digits z_y in base q; z_0 is the most significant digit. The sub-chunk of node
// (x, y) in plane z is coupled with the sub-chunk of node (z_y, y) in another plane. In the number of the other plane, digit y is
// x, and all other digits are the same as in z. If z_y = x, the sub-chunk is not coupled.

#pragma once

#include <vector>

namespace ecbench::clay {

/// Ceph's limit, including virtual nodes.
inline constexpr int node_limit = 254;

class Geometry {
 public:
  /// d is at least k and less than k+m; sub_chunk_count() must fit in an int.
  Geometry(int k, int m, int d);

  /// They fill k+m up to a multiple of q = d-k+1.
  static int virtual_count(int k, int m, int d);

  int chunk_count() const { return k_ + m_; }
  int q() const { return q_; }
  int t() const { return static_cast<int>(weights_.size()); }
  int node_count() const { return q_ * t(); }
  int sub_chunk_count() const { return sub_chunk_count_; }

  /// The node of a chunk. Data chunks have the numbers 0 to k-1, coding chunks k to k+m-1.
  int node(int chunk) const { return chunk < k_ ? chunk : chunk + virtual_count_; }
  bool is_virtual(int node) const { return node >= k_ && node < k_ + virtual_count_; }
  /// `node` must not be virtual.
  int chunk(int node) const { return node < k_ ? node : node - virtual_count_; }

  int x(int node) const { return node % q_; }
  int y(int node) const { return node / q_; }
  int digit(int plane, int y) const { return plane / weight(y) % q_; }
  /// q^(t-1-y)
  int weight(int y) const { return weights_[static_cast<std::size_t>(y)]; }

 private:
  int k_;
  int m_;
  int q_;
  int virtual_count_;
  int sub_chunk_count_ = 1;
  std::vector<int> weights_;
};

}  // namespace ecbench::clay
