// SHEC codes, and which data chunks their coding chunks cover.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"
#include "erasure_code/products.h"

namespace ecbench::shec {

// Chooses the chunks to read. The coding rows define the code; data chunks have the numbers 0 to k-1, coding chunks those from k
// on.

struct Recovery {
  std::vector<int> reads;         ///< the chunks that must be read, ascending
  std::vector<Product> products;  ///< one product for each target, in the order of the targets; all sources are in `reads`
};

/// For `targets` (a subset of `erased`, ascending), from as few chunks as possible: every set of coding chunks is tried in the
/// order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), so the result is Ceph's unless another reads less.
/// Solved in the Galois field, it recovers every loss that the rank of the matrix allows, which Ceph's search does not. Nothing if
/// there is none.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

// Chooses the order and the sources of rebuilt chunks, for few multiplications.

/// Products with the results of recovery.products, one after the other: each target from recovery.reads, or by a coding row whose
/// other chunks are read or already rebuilt, whichever is cheaper, the cheapest first. The last of several lost data chunks often
/// needs only XORs, and a lost coding chunk can be encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

// The data chunks that each coding chunk of a SHEC code covers. A row (coding chunk) covers consecutive columns (data chunks),
// cyclically. The rows overlap; the paper calls them shingles (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local
// Parity Groups for Efficient Recovery from Multiple Disk Failures", HotDep 2014).

/// Whether coding chunk `row` (0 to m-1) covers data chunk `column` (0 to k-1).
using Shingles = std::vector<std::vector<bool>>;

/// Each column is covered by c of m rows (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// m1 rows cover each column c1 times, m2 = m-m1 rows c2 = c-c1 times (one set if m1 and c1 are 0), so that rebuilding a chunk
/// reads the fewest chunks on average. The search is Ceph's (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc; the first of
/// equal ones), because m1 and c1 determine the bytes.
Shingles multiple_shingles(int k, int m, int c);

/// Each row covers l columns (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

// SHEC: each coding chunk covers only some data chunks, so a lost chunk is rebuilt from few others. The matrix is that of
// jerasure's reed_sol_van with zeros where a data chunk is not covered, as in Ceph's ErasureCodeShec.cc.

class ShecCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// w: 8, 16 or 32 bits of an element. Throws Error if the kernels of `make_products` do not support it.
  ShecCode(const Shingles& shingles, int w, ProductMaker make_products);

  /// ceil(object_size / k), rounded up to a multiple of 4*w bytes. Throws Error if the result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// Throws Error if chunk_size is not a multiple of w/8 bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return info_of(*encoding_).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(*encoding_).kernel_functions(); }

 protected:
  /// As few chunks as possible (smallest_recovery()). Refused only if the available chunks do not determine `rebuilt`.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  std::size_t granularity() const override { return encoding_->granule(); }
  std::size_t scratch_size(std::size_t size) const override;
  /// For each changed chunk, the delta times a coefficient is added to each coding chunk that covers it.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void check_granule(std::size_t chunk_size) const;

  GaloisField field_;
  Matrix coding_rows_;
  ProductMaker make_products_;
  std::unique_ptr<const ChunkProducts> encoding_;
  /// factors_[row * k + column] multiplies chunks[0] by this element of coding_rows_ into chunks[1]; null for 0 and 1.
  std::vector<std::unique_ptr<const ChunkProducts>> factors_;
};

}  // namespace ecbench::shec
