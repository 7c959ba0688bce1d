// The positions of the sub-chunks of a Clay code, and which of them are coupled (Vajha et al., "Clay Codes: Moulding MDS Codes to
// Yield an MSR Code", FAST 2018; the numbering is that of ErasureCodeClay.cc). The nodes of the code form a grid of q columns and t
// rows. A row is called a group: node v is in column x = v mod q and in group y = v / q. The first nodes are the k data chunks, the
// next are virtual nodes, and the last are the m coding chunks. Virtual nodes fill the grid. They contain zeros and are not stored.
// A chunk has a sub-chunk for each of the q^t planes. The number z of a plane has t digits z_y in base q; z_0 is the most
// significant digit. The sub-chunk of node (x, y) in plane z is coupled with the sub-chunk of node (z_y, y) in another plane: digit
// y of that plane is x, and its other digits are those of z. If z_y = x, the sub-chunk is not coupled.

#pragma once

#include <vector>

namespace ecbench::clay {

/// Ceph's limit for the number of nodes. This number is k+m plus the number of virtual nodes.
inline constexpr int node_limit = 254;

class Geometry {
 public:
  /// k data and m coding chunks. One chunk is repaired from d other chunks, k <= d < k+m. sub_chunk_count() must fit in an int.
  Geometry(int k, int m, int d);

  /// The number of virtual nodes, which fill k+m up to a multiple of q = d-k+1.
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
  /// The weight of digit y in a plane's number: q^(t-1-y). If only digit y grows by 1, the number grows by this weight.
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
