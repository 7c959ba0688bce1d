// An additive FFT that computes some rows (targets) from others (sources), for any number of bytes per row. The transform is a list
// of steps (butterfly.h), which is made once. All steps process one block of the rows before the first step processes the next
// block.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/simd/fft/butterfly.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// The largest number of layers: 2^7 rows and as many targets are the 256 points of the field.
inline constexpr int most_layers = 7;

/// The values of a polynomial of degree < 2^t at 2^t points, which begin with the point number `first`.
struct Coset {
  int first = 0;           ///< a multiple of 2^t
  std::uint8_t scale = 1;  ///< not 0
  std::vector<int> rows;   ///< 2^t row numbers; no_row: zeros if the coset is an input, not needed if it is the output
};
inline constexpr int no_row = -1;

/// The output is the sum of the scaled inputs: each input determines a polynomial in x + first, and the sum of these polynomials is
/// evaluated at the output's points.
struct CosetSum {
  int layers = 1;  ///< t: 1 to most_layers
  std::vector<Coset> inputs;
  Coset output;
  /// If not empty: the polynomial has degree < 2^t + 2, and these two rows are its values at the first two points of the output.
  /// The sum must then have one input, which begins with point 2^t, an output that begins with point 0, and layers for one step.
  std::vector<int> tail = {};
};

/// A row at a point of a CauchySum, multiplied by `weight`.
struct WeightedRow {
  int row = no_row;
  std::uint8_t weight = 0;
};

/// The output at point x is the sum of all inputs y, each divided by (x + y). No point is both an input and an output. The sum is
/// the derivative of the polynomial that has the inputs as values at their points, and zeros at all others (Lin, Chung and Han,
/// "Novel Polynomial Basis and Its Application to Reed-Solomon Erasure Codes", FOCS 2014).
struct CauchySum {
  int layers = 2;                            ///< t: 2 to most_cauchy_layers
  std::vector<WeightedRow> inputs, outputs;  ///< 2^t each; the index is the number of the point
};
inline constexpr int most_cauchy_layers = 8;

/// Transform::cost() of a sum of 2^layers points, if the first `point_count` are used: an estimate for any inputs, and for
/// `target_count` outputs that are not next to each other.
double cauchy_cost(const Kernel& kernel, Basis basis, int layers, int point_count, int target_count);

class Transform {
 public:
  /// Rows 0 to source_count-1 are the sources, and the next target_count rows are the targets. All sums have the same number of
  /// layers.
  Transform(const Kernel& kernel, Basis basis, int source_count, int target_count, std::span<const CosetSum> sums);

  /// Rows have the same numbers.
  Transform(const Kernel& kernel, Basis basis, int source_count, int target_count, const CauchySum& sum);

  /// The time per vector, in units of the time of a product (Kernel::access_cost).
  double cost() const { return cost_; }

  /// Each source and each target has `size` bytes, at any address. Targets must not overlap sources. Allocates no memory, and uses
  /// up to 190 KiB of the stack. Several threads may call run() at the same time.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size) const;

 private:
  struct Draft;
  struct alignas(64) Line {
    std::array<std::uint8_t, 64> bytes;
  };

  /// Moves the steps of the draft here, and chooses the size of the blocks in which run() works.
  void take_steps(Draft& draft, int scratch_rows);

  void run_steps(std::uint8_t* const* at, std::size_t bytes) const {
    for (const Step& step : steps_) step.run(step, at, bytes);
  }
  void run_short(std::uint8_t** at, std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets,
                 std::size_t size) const;

  double cost_ = 0;
  std::size_t vector_bytes_;
  std::size_t source_count_;
  std::size_t target_count_;
  std::size_t scratch_rows_;  // the contents of the first row are not used
  std::size_t block_bytes_;
  std::vector<Line> tables_;
  std::vector<Step> steps_;
};

}  // namespace ecbench::simd
