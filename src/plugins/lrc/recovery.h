// Equations of layers, and their solution.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::lrc {

// Layers as equations over GF(2^8): the sum of coefficient * chunk over the chunks of a layer is zero.

/// By position.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer to which the equation belongs
};

/// `coding_rows` times the data chunks are the coding chunks. `positions`: of the data chunks, then of the coding chunks.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// The equation `row`, solved for `target`, whose coefficient must not be zero.
Product solved_for(int target, const Row& row);

// A unit is a layer, or one or more equations. Finds the set with the fewest reads.

/// Up to this many units, all sets are tried (2^10), in a fraction of a millisecond for up to 16 chunks.
inline constexpr int searched_unit_limit = 10;

/// The best (smallest) result of by(chosen) over sets of the units 0 to unit_count-1: all sets, low-numbered units first, the first
/// of equal ones; or above searched_unit_limit, the set of all units, from which each unit is removed, the highest first, unless
/// the result gets worse. Nothing if no set has a result.
template <typename By>
auto best_of_subsets(int unit_count, const By& by) -> decltype(by(std::vector<int>())) {
  decltype(by(std::vector<int>())) best;
  if (unit_count <= searched_unit_limit) {
    for (std::uint32_t set = 1; set < 1u << unit_count; set++) {
      std::vector<int> chosen;
      for (int unit = 0; unit < unit_count; unit++) {
        if (set >> unit & 1) chosen.push_back(unit);
      }
      auto answer = by(chosen);
      if (answer && (!best || *answer < *best)) best = std::move(answer);
    }
    return best;
  }
  std::vector<int> chosen;
  for (int unit = 0; unit < unit_count; unit++) chosen.push_back(unit);
  best = by(chosen);
  for (int unit = unit_count - 1; best && unit >= 0; unit--) {
    std::vector<int> fewer = chosen;
    std::erase(fewer, unit);
    auto answer = by(fewer);
    if (!answer || *best < *answer) continue;
    best = std::move(answer);
    chosen = std::move(fewer);
  }
  return best;
}

// Solves the equations of all layers together to rebuild lost chunks. Finds the chunks that must be read for this.

struct Recovery {
  Positions reads;
  /// Each reads chunks in `reads` and earlier targets, in the cheapest order that was found. A product without sources is for a
  /// chunk that is always zero (d = a XOR b XOR c with c = a XOR b).
  std::vector<Product> products;
  int layer = 0;  ///< the lowest number of a layer whose equations are used
};

/// For `targets` (a subset of `erased`, ascending); nothing if the equations do not determine them. Solves the set of equations
/// that needs the fewest reads, then the lowest cost (cost_of()), then that of the last layers, as in Ceph; multiples
/// of other equations reduce the reads further. A single lost chunk is rebuilt from one layer. Never reads more than Ceph's pass
/// (minimum_to_decode in ErasureCodeLrc.cc).
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
