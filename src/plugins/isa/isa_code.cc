#include "plugins/isa/isa_code.h"

#include <isa-l.h>

#include <algorithm>
#include <array>

#include "erasure_code/error.h"

namespace ecbench::isa {
namespace {

constexpr std::size_t chunk_multiple = 32;
// ISA-L counts bytes in an int, so a chunk of 2 GiB and more comes in segments.
constexpr std::size_t segment_size = std::size_t{1} << 30;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// k sources and behind them the destinations, as ISA-L takes them. It writes to the destinations alone, though it declares none of
/// them const.
using ChunkPointers = std::array<unsigned char*, IsaCode::chunk_count_limit>;

unsigned char* library_pointer(const std::uint8_t* chunk) {
  return const_cast<std::uint8_t*>(chunk);
}

/// `run` comes by reference, for a copy would be made with SSE moves: CMakeLists.txt says what those cost.
template <typename Run>
[[gnu::always_inline]] inline void in_segments(std::span<unsigned char*> pointers, std::size_t chunk_size, const Run& run) {
  for (std::size_t left = chunk_size;;) {
    const std::size_t size = std::min(segment_size, left);
    run(static_cast<int>(size));
    left -= size;
    if (left == 0) return;
    for (unsigned char*& pointer : pointers) pointer += size;
  }
}

}  // namespace

struct IsaCode::Plan : DecodePlan {
  std::vector<int> participants;     // positions: k sources, then the chunks to rebuild
  std::vector<std::uint8_t> tables;  // empty where an XOR rebuilds the one chunk
};

IsaCode::IsaCode(Shape shape, Matrix matrix)
    : ErasureCode(std::move(shape)), kernels_(kernels()), matrix_(index(chunk_count()) * index(data_chunk_count())) {
  const int k = data_chunk_count();
  (matrix == Matrix::vandermonde ? gf_gen_rs_matrix : gf_gen_cauchy1_matrix)(matrix_.data(), chunk_count(), k);
  const auto first_coding_row = matrix_.begin() + k * k;
  if (coding_chunk_count() == 1) std::fill(first_coding_row, matrix_.end(), std::uint8_t{1});
  first_coding_row_is_ones_ = std::all_of(first_coding_row, first_coding_row + k, [](int element) { return element == 1; });
  encoding_tables_ = multiplication_tables(kernels_, {first_coding_row, matrix_.end()}, k);
}

std::size_t IsaCode::chunk_size(std::size_t object_size) const {
  const std::size_t k = index(data_chunk_count());
  return round_up(object_size / k + (object_size % k != 0), chunk_multiple);
}

void IsaCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                     std::size_t chunk_size) const {
  const int k = data_chunk_count();
  const int m = coding_chunk_count();
  if (m > 1 && chunk_size <= segment_size) {  // the caller's pointers will do
    kernels_.encode_data(static_cast<int>(chunk_size), k, m, const_cast<std::uint8_t*>(encoding_tables_.data()),
                         const_cast<unsigned char**>(data.data()), const_cast<unsigned char**>(coding.data()));
    return;
  }
  ChunkPointers pointers;
  std::ranges::transform(data, pointers.begin(), library_pointer);
  std::ranges::transform(coding, pointers.begin() + k, library_pointer);
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
  std::vector<int> lost, survivors, wanted;
  for (int chunk = 0; chunk < chunk_count(); chunk++) {
    if (std::ranges::binary_search(rebuilt, position(chunk))) wanted.push_back(chunk);
    if (std::ranges::binary_search(erased, position(chunk))) {
      lost.push_back(chunk);
    } else if (static_cast<int>(survivors.size()) < data_chunk_count()) {
      survivors.push_back(chunk);
    }
  }
  auto plan = std::make_unique<Plan>();
  for (const int chunk : survivors) plan->participants.push_back(position(chunk));
  plan->reads = plan->participants;
  std::ranges::sort(plan->reads);
  for (const int chunk : wanted) plan->participants.push_back(position(chunk));
  if (is_joined_by_xor(lost)) return plan;
  const std::vector<std::uint8_t> rows = rows_over_survivors(survivors, wanted);
  if (rows.empty()) refuse_unrecoverable(erased, "what is left of this code's matrix has no inverse");
  plan->tables = multiplication_tables(kernels_, rows, data_chunk_count());
  return plan;
}

void IsaCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  ChunkPointers pointers;
  unsigned char** next = pointers.data();
  for (const int position : own.participants) *next++ = chunks[index(position)];
  const std::span<unsigned char*> used = std::span(pointers).first(own.participants.size());
  if (own.tables.empty()) {
    xor_chunks(used, chunk_size);
  } else {
    multiply_chunks(used, own.tables, chunk_size);
  }
}

/// The XOR of all pointers but the last into that.
void IsaCode::xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const {
  std::array<void*, chunk_count_limit> vectors;
  in_segments(pointers, chunk_size, [&](int size) {
    std::ranges::copy(pointers, vectors.begin());
    if (kernels_.xor_gen(static_cast<int>(pointers.size()), size, vectors.data()) != 0) {
      throw Error("ISA-L's xor_gen refused its buffers");
    }
  });
}

/// The first k pointers are the sources, the others the destinations.
void IsaCode::multiply_chunks(std::span<unsigned char*> pointers, const std::vector<std::uint8_t>& tables,
                              std::size_t chunk_size) const {
  const int k = data_chunk_count();
  in_segments(pointers, chunk_size, [&](int size) {
    kernels_.encode_data(size, k, static_cast<int>(pointers.size()) - k, const_cast<std::uint8_t*>(tables.data()),
                         pointers.data(), pointers.data() + k);
  });
}

bool IsaCode::is_joined_by_xor(const std::vector<int>& lost) const {
  return first_coding_row_is_ones_ && lost.size() == 1 && lost.front() <= data_chunk_count();
}

/// A row of k coefficients for each chunk of `rebuilt`; empty where the survivors' rows have no inverse.
std::vector<std::uint8_t> IsaCode::rows_over_survivors(const std::vector<int>& survivors, const std::vector<int>& rebuilt) const {
  const int k = data_chunk_count();
  const auto row_of = [&](int chunk) { return matrix_.begin() + chunk * k; };
  std::vector<std::uint8_t> left;
  for (const int chunk : survivors) left.insert(left.end(), row_of(chunk), row_of(chunk) + k);
  std::vector<std::uint8_t> inverse(left.size());
  if (gf_invert_matrix(left.data(), inverse.data(), k) != 0) return {};
  std::vector<std::uint8_t> rows;
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
