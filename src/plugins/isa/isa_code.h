// A Reed-Solomon code that ISA-L computes. The code uses XOR in the same cases as Ceph's plugin isa (ErasureCodeIsa.cc).

#pragma once

#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"
#include "plugins/isa/kernels.h"

namespace ecbench::isa {

/// Element of coding row r and column j: vandermonde (2^r)^j (gf_gen_rs_matrix), cauchy 1/((k+r) XOR j) (gf_gen_cauchy1_matrix).
enum class Matrix { vandermonde, cauchy };

class IsaCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  IsaCode(Shape shape, Matrix matrix, const Kernels& kernels);

  /// ceil(object_size / k), rounded up to a multiple of 32 bytes. Throws Error if the result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// With m=1, the XOR of the data chunks for both matrices, as in Ceph.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;

 protected:
  /// By XOR if the first coding row has only ones, and one data chunk or the first coding chunk is lost. Otherwise from the k
  /// lowest-numbered available chunks, whose matrix rows are inverted (gf_invert_matrix); a lost coding chunk's coefficients are
  /// its row times the inverse.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// For one delta.
  std::size_t scratch_size(std::size_t size) const override { return size; }
  /// As Ceph's plugin: the delta of each changed chunk, then one call for each coding chunk.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const;
  void multiply_chunks(std::span<unsigned char*> pointers, const Tables& tables, std::size_t chunk_size) const;
  bool is_joined_by_xor(const ErasurePattern& pattern) const;
  std::vector<std::uint8_t> rows_over_survivors(const ErasurePattern& pattern) const;

  Kernels kernels_;
  std::vector<std::uint8_t> matrix_;  // n rows and k columns; the first k rows are the identity matrix
  bool first_coding_row_is_ones_;
  Tables encoding_tables_;
  std::vector<Tables> row_tables_;  // one element for each coding chunk; empty if m=1, because the coding chunk is then an XOR
};

// Makes products that ISA-L's kernels compute. Codes of other plugins use these products.

/// With the kernels of `dispatch`. Throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
