#include "plugins/isa/isa_code.h"

#include <isa-l.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"

namespace ecbench::isa {
namespace {

constexpr std::size_t chunk_multiple = 32;

}  // namespace

struct IsaCode::Plan : DecodePlan {
  std::vector<int> participants;  // positions: k sources, then the chunks to rebuild
  Tables tables;                  // empty if an XOR rebuilds the chunk
};

IsaCode::IsaCode(Shape shape, Matrix matrix, const Kernels& kernels)
    : ErasureCode(std::move(shape)), kernels_(kernels), matrix_(index(chunk_count()) * index(data_chunk_count())) {
  const int k = data_chunk_count();
  (matrix == Matrix::vandermonde ? gf_gen_rs_matrix : gf_gen_cauchy1_matrix)(matrix_.data(), chunk_count(), k);
  const auto first_coding_row = matrix_.begin() + std::ptrdiff_t{k} * k;
  if (coding_chunk_count() == 1) std::fill(first_coding_row, matrix_.end(), std::uint8_t{1});
  first_coding_row_is_ones_ = std::all_of(first_coding_row, first_coding_row + k, [](int element) { return element == 1; });
  encoding_tables_ = multiplication_tables(kernels_, {first_coding_row, matrix_.end()}, k);
  // A parity delta needs the tables of a single row. encoding_tables_ cannot supply them: in ISA-L 2.31 with GFNI kernels, the
  // tables of row i do not begin at byte 32 * k * i of encoding_tables_.
  for (auto row = first_coding_row; coding_chunk_count() > 1 && row != matrix_.end(); row += k) {
    row_tables_.push_back(multiplication_tables(kernels_, {row, row + k}, k));
  }
}

std::size_t IsaCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), chunk_multiple);
}

void IsaCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                     std::size_t chunk_size) const {
  const int k = data_chunk_count();
  const int m = coding_chunk_count();
  if (m > 1 && chunk_size <= segment_size_limit) {  // one call is enough, and it can use the caller's arrays of pointers
    kernels_.encode_data(static_cast<int>(chunk_size), k, m, const_cast<std::uint8_t*>(encoding_tables_.data()),
                         const_cast<unsigned char**>(data.data()), const_cast<unsigned char**>(coding.data()));
    return;
  }
  auto pointers = chunk_pointers<unsigned char>(data, coding);
  const std::span<unsigned char*> used = std::span(pointers).first(index(chunk_count()));
  if (m == 1) {
    xor_chunks(used, chunk_size);
  } else {
    multiply_chunks(used, encoding_tables_, chunk_size);
  }
}

std::string IsaCode::kernel() const {
  if (coding_chunk_count() == 1) return kernels_.xor_gen_name;
  const std::string multiplying = kernels_.encode_data_name;
  return first_coding_row_is_ones_ ? multiplying + ", " + kernels_.xor_gen_name : multiplying;
}

std::unique_ptr<DecodePlan> IsaCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
  auto plan = std::make_unique<Plan>();
  plan->participants = participants(*this, pattern);
  plan->reads = pattern.reads;
  if (erased.size() == 1 && is_joined_by_xor(pattern)) return plan;
  const std::vector<std::uint8_t> rows = rows_over_survivors(pattern);
  if (rows.empty()) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
  plan->tables = multiplication_tables(kernels_, rows, data_chunk_count());
  return plan;
}

void IsaCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  ChunkPointers<unsigned char> pointers;
  unsigned char** next = pointers.data();
  for (const int position : own.participants) *next++ = chunks[index(position)];
  const std::span<unsigned char*> used = std::span(pointers).first(own.participants.size());
  if (own.tables.empty()) {
    xor_chunks(used, chunk_size);
  } else {
    multiply_chunks(used, own.tables, chunk_size);
  }
}

/// The last chunk becomes the XOR of the others.
void IsaCode::xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const {
  std::array<void*, chunk_count_limit> vectors;
  in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
    std::ranges::copy(pointers, vectors.begin());
    if (kernels_.xor_gen(static_cast<int>(pointers.size()), size, vectors.data()) != 0) {
      throw Error("ISA-L's xor_gen returned an error");
    }
  });
}

/// k sources, then the destinations.
void IsaCode::multiply_chunks(std::span<unsigned char*> pointers, const Tables& tables, std::size_t chunk_size) const {
  const int k = data_chunk_count();
  in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
    kernels_.encode_data(size, k, static_cast<int>(pointers.size()) - k, const_cast<std::uint8_t*>(tables.data()), pointers.data(),
                         pointers.data() + k);
  });
}

/// `pattern` must have exactly one lost chunk.
bool IsaCode::is_joined_by_xor(const ErasurePattern& pattern) const {
  return first_coding_row_is_ones_ && (!pattern.lost_data.empty() || pattern.erased[index(data_chunk_count())]);
}

/// k coefficients for each rebuilt chunk; empty if the matrix has no inverse.
std::vector<std::uint8_t> IsaCode::rows_over_survivors(const ErasurePattern& pattern) const {
  const int k = data_chunk_count();
  const auto row_of = [&](int chunk) { return matrix_.begin() + std::ptrdiff_t{chunk} * k; };
  std::vector<std::uint8_t> left;
  for (const int chunk : pattern.survivors) left.insert(left.end(), row_of(chunk), row_of(chunk) + k);
  std::vector<std::uint8_t> inverse(left.size());
  if (gf_invert_matrix(left.data(), inverse.data(), k) != 0) return {};
  std::vector<std::uint8_t> rows;
  std::vector<int> rebuilt = pattern.rebuilt_data;
  rebuilt.insert(rebuilt.end(), pattern.rebuilt_coding.begin(), pattern.rebuilt_coding.end());
  for (const int chunk : rebuilt) {
    for (int i = 0; i < k; i++) {
      std::uint8_t sum = 0;
      for (int j = 0; j < k; j++) sum ^= gf_mul(row_of(chunk)[j], inverse[index(j * k + i)]);
      rows.push_back(sum);
    }
  }
  return rows;
}

}  // namespace ecbench::isa
