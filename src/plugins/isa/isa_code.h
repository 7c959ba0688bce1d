// A Reed-Solomon code computed by ISA-L, with the short cuts by XOR that Ceph's isa plugin takes (ErasureCodeIsa.cc).

#pragma once

#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/erasure_pattern.h"
#include "plugins/isa/kernels.h"

namespace ecbench::isa {

/// Coding row r, column j: Vandermonde (2^r)^j, of gf_gen_rs_matrix; Cauchy 1/((k+r) XOR j), of gf_gen_cauchy1_matrix.
enum class Matrix { vandermonde, cauchy };

class IsaCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  IsaCode(Shape shape, Matrix matrix, const Kernels& kernels);

  /// ceil(object_size / k), rounded up to a multiple of 32 bytes. Throws Error if it does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// With one coding chunk that is the XOR of the data, whatever the matrix says: Ceph's rule.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;

 protected:
  /// A single lost chunk is the XOR of the others where a coding row of ones joins it to them. All else is a row of the inverse of
  /// gf_invert_matrix over the k lowest-numbered chunks that are left.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// One delta.
  std::size_t scratch_size(std::size_t size) const override { return size; }
  /// As Ceph's plugin: for each changed chunk the delta, then for each coding chunk a call of the library.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const;
  void multiply_chunks(std::span<unsigned char*> pointers, const Tables& tables, std::size_t chunk_size) const;
  bool is_joined_by_xor(const ErasurePattern& pattern) const;
  std::vector<std::uint8_t> rows_over_survivors(const ErasurePattern& pattern) const;

  Kernels kernels_;
  std::vector<std::uint8_t> matrix_;  // n by k, the identity first
  bool first_coding_row_is_ones_;
  Tables encoding_tables_;
  std::vector<Tables> row_tables_;  // of each coding chunk; empty if there is one, which is the XOR of the data
};

}  // namespace ecbench::isa
