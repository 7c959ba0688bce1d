// What is rebuilt from what in a Clay code: geometry, scalar code, pairwise transform and steps.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"

namespace ecbench::clay {

// Vajha et al., "Clay Codes: Moulding MDS Codes to Yield an MSR Code", FAST 2018; nodes and planes have the numbers of
// ErasureCodeClay.cc. The nodes form a grid of q columns and t rows (groups): v is in column x = v mod q and group y = floor(v/q).
// The first are the k data chunks, the last the m coding chunks; between them, virtual nodes, which contain zeros and are not
// stored, make the number a multiple of q. A chunk has a sub-chunk for each of the q^t planes. The number z of a plane has t digits
// z_y in base q, z_0 the most significant. The sub-chunk of node (x, y) in plane z is coupled with that of node (z_y, y) in the
// plane whose digit y is x, and whose other digits are the same; if z_y = x, it is not coupled.

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

// Works on one sub-chunk of each node: bytewise codes by another plugin's kernels for their matrix, packet codes by themselves.

struct Rebuilding {
  std::unique_ptr<const ChunkProducts> work;  ///< its run() takes pointers to the n chunks of the scalar code
  std::vector<bool> reads;                    ///< n flags: true for the chunks that `work` reads
};

class ScalarCode {
 public:
  /// `code` computes itself.
  explicit ScalarCode(std::unique_ptr<const ErasureCode> code);
  /// `matrix` must be that of `code`; the kernels of `make_products` compute.
  ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products);

  /// `rebuilt` is a subset of `erased`, both ascending. Nothing if the code cannot rebuild them.
  std::optional<Rebuilding> rebuilding(const Positions& erased, const Positions& rebuilt) const;

  bool can_rebuild(const Positions& erased) const;

  const ErasureCode& code() const { return *code_; }
  bool computes_itself() const { return !matrix_; }

 private:
  std::optional<std::vector<Product>> products(const Positions& erased, const Positions& rebuilt) const;

  std::unique_ptr<const ErasureCode> code_;
  std::optional<Matrix> matrix_;
  ProductMaker make_products_;
};

// The pairwise transform converts two coupled sub-chunks (C), which are stored, to two uncoupled ones (U), and back. In each plane,
// the U of all nodes form a codeword of the scalar code. As in Ceph (ErasureCodeClay.cc), not by the matrix of the paper, but by a
// 2+2 code with the plugin and the technique of the scalar code: its data chunks are the C and its coding chunks the U, first those
// of the node with the higher x. Any two determine the other two.

/// "Own" is one member of a pair, "partner" the other.
enum class Step {
  own_u_from_both_c,        ///< computes the own U from the own C and the partner's C
  own_u_from_partner_u,     ///< computes the own U from the own C and the partner's U
  own_c_from_partner_c,     ///< computes the own C from the own U and the partner's C
  own_c_from_both_u,        ///< computes the own C from the own U and the partner's U
  partner_c_from_own_both,  ///< computes the partner's C from the own C and the own U
};

class Coupling {
 public:
  /// 2+2 chunks. Throws Error if it cannot recover a loss of two.
  explicit Coupling(const ScalarCode& code);

  /// The sources in the order of Step's comments, `size` bytes each, not `result`. `is_high`: the own node has the higher x.
  void run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
           std::size_t size) const;

 private:
  static constexpr std::size_t step_count = 5;

  /// Indexed by step and is_high.
  std::array<std::array<std::unique_ptr<const ChunkProducts>, 2>, step_count> works_;
};

// The precomputed steps to recover chunks of a Clay code: encoding, decoding and repair differ only in the roles of the nodes and
// the visited planes. In each plane, the U of the available nodes are computed from their C, the scalar code rebuilds the other U,
// then the wanted C are computed. Planes are in ascending order of their score, the number of wanted and unread nodes (x, y) with
// z_y = x, so each result is computed before another plane needs it (FAST 2018, section 4; ErasureCodeClay.cc).

enum class Role : std::uint8_t {
  known,      ///< the node's sub-chunks are available
  wanted,     ///< the node's chunk is rebuilt
  unread,     ///< neither read nor written: an erased node that is not wanted, or an available node that is not needed
  companion,  ///< an available node in the group of the node that is repaired
};

/// A repair of node (x, y) visits the planes with z_y = x, numbered without digit y; helpers' parts are in their ascending order.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;  ///< one for each node
  int repaired = -1;        ///< the node that is repaired; -1 for encoding and decoding, which visit all planes
  int plane_count = 0;      ///< number of planes that are visited
  /// Geometry::weight() of digit y; in a repair, for the missing digit, that of the next more significant digit.
  std::vector<int> weights;
  std::vector<Run> runs;           ///< the visited planes in processing order; the last plane of each Run is processed first
  std::vector<int> unread_number;  ///< for each unread node, its number among the unread nodes
  int unread_count = 0;
  Rebuilding uncoupled = {};  ///< rebuilds the U of all nodes that do not have Role::known
};

/// For `wanted`, a subset of `erased`, both ascending. Nodes that `scalar` does not need are not read, the highest-numbered first.
/// Nothing if `scalar` cannot rebuild all of `erased`.
std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted);

/// From all other nodes except `unread`; nothing if `scalar` cannot.
std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread);

// The parts of chunks that are read to repair one chunk of a Clay code (FAST 2018, section 4.2; ErasureCodeClay.cc).

/// Ascending, if all others are available: those in the group of `lost`, and the lowest-numbered others.
Positions repair_helpers(const Geometry& geometry, int d, int lost);

/// Planes z, for each helper, with z_y = x for the node (x, y) of `lost`, q^y runs of q^(t-1-y) sub-chunks.
std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost);

// A Recovery is applied to chunks in portions: several planes of short sub-chunks, or a segment of one plane. A portion and its U
// fit in the caches. Most U are in memory of the thread (Pass::place_for_u()); later portions overwrite them.

struct Portion {
  int plane_count;          ///< number of consecutive planes; a power of q, or 1 if sub-chunks are divided into segments
  std::size_t size;         ///< bytes of each sub-chunk that are processed
  std::size_t node_stride;  ///< bytes of the thread's memory for each node
};

class Layers {
 public:
  /// Both must outlive this instance. A portion has `unit` bytes of every sub-chunk of one plane; 0: run() chooses.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// nodes[v]: the sub-chunks of all planes of a repaired node; of the planes that `recovery` visits, ascending, for others; null
  /// for zeros. `sub_chunk_size` must be a multiple of 16 and of `unit`.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// So that run() in the same thread allocates nothing.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace ecbench::clay
