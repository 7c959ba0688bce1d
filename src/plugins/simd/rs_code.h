// A Reed-Solomon code over GF(2^8), given by its coding rows. The kernels of plugin simd compute it.

#pragma once

#include <memory>
#include <string>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/fft/point_code.h"
#include "plugins/simd/fft/transform.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/recovery.h"

namespace ecbench::simd {

/// direct: multiplies by the coding rows. fft: uses an FFT if the code allows one. automatic: the way that needs less time.
enum class TransformPolicy { automatic, direct, fft };

struct Design {
  Shape shape;
  Matrix coding_rows;      ///< n-k by k; every square submatrix must be invertible
  bool is_cauchy = false;  ///< element (r, c) is 1/((k+r) XOR c); if true, a formula inverts submatrices
  PointCode points = PointCode::none;
  TransformPolicy transform = TransformPolicy::automatic;
  std::size_t chunk_multiple = 32;
  StorePolicy store = StorePolicy::automatic;
  const Kernel* kernel = nullptr;
};

class RsCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  explicit RsCode(Design design);

  /// ceil(object_size / k), rounded up to a multiple of design.chunk_multiple. Throws Error if the result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// Chunks may have any size.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return design_.kernel->name; }
  /// With " (FFT)" if a transform computes the chunks.
  std::string kernel_of(const DecodePlan* plan) const override;

 protected:
  /// Computes all wanted chunks from the k lowest-numbered available chunks, in one multiplication.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// The transform that encodes, or null if encoding_ encodes.
  std::unique_ptr<Transform> make_transform() const;
  /// Whether a transform with this cost is `margin` times as fast as the multiplication by `row_count` rows.
  bool is_faster(double cost, int row_count, double margin = 1) const;
  /// The plan that rebuilds the losses by an FFT, or null if a multiplication rebuilds them.
  std::unique_ptr<Plan> transform_plan(const Losses& losses) const;
  std::size_t scratch_size(std::size_t) const override { return 0; }
  /// One call of Multiplication::update() updates all coding chunks with the deltas of all changed chunks.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  Design design_;
  Multiplication encoding_;
  std::unique_ptr<Transform> transform_;  // encodes instead of encoding_, if chunks have at least shortest_for_fft_ bytes
  std::size_t shortest_for_fft_ = 0;
  std::vector<std::uint8_t> multipliers_;  // of design_.points; empty if no plan uses a transform
  std::vector<std::uint8_t> elements_;     // of design_.coding_rows
  CodingRows coding_;
};

}  // namespace ecbench::simd
