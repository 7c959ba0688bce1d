#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/index.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/codes.h"
#include "plugins/jerasure/gf_complete.h"

namespace ecbench::jerasure {

constexpr std::size_t granule = sizeof(long);  // the library processes regions in units of a long

struct MatrixCode::Plan : DecodePlan {
  std::vector<DotProduct> products;
};

/// A k by k matrix. Row i times the survivors is data chunk i.
struct MatrixCode::Inverse {
  std::vector<int> elements;
  std::vector<int> survivors;
};

MatrixCode::MatrixCode(MatrixCodeDesign design)
    : ErasureCode(design.shape), design_(std::move(design)), needs_lock_(multiplication_has_state(design_.w)) {
  const int k = data_chunk_count();
  const std::vector<int> data = all_but({}, k);
  for (int chunk = k; chunk < chunk_count(); chunk++) {
    encoding_.push_back(dot_product(chunk, data, std::span(coding_row(chunk), index(k))));
  }
  first_row_is_ones_ = std::all_of(coding_row(k), coding_row(k) + k, [](int element) { return element == 1; });
}

std::size_t MatrixCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), design_.padding_unit);
}

void MatrixCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                        std::size_t chunk_size) const {
  check_granule(chunk_size, granule);
  auto pointers = chunk_pointers<char>(data, coding);
  const auto lock = lock_if_needed();
  in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit, [&](int size) {
    for (const DotProduct& product : encoding_) multiply(pointers, product, size);
  });
}

std::string MatrixCode::kernel() const { return "GF-Complete " + multiplication_kernel(design_.w) + ", " + xor_kernel(); }

std::vector<KernelFunction> MatrixCode::kernel_functions() const {
  std::vector<KernelFunction> functions = field_functions(design_.w);
  if (design_.w != xor_field) std::ranges::copy(field_functions(xor_field), std::back_inserter(functions));
  return functions;
}

std::unique_ptr<DecodePlan> MatrixCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
  const bool all_data_at_hand = pattern.rebuilt_data == pattern.lost_data;
  const bool last_by_xor = first_row_is_ones_ && !pattern.erased[index(data_chunk_count())] && all_data_at_hand;
  std::span<const int> by_inverse = pattern.rebuilt_data;
  if (last_by_xor && !by_inverse.empty()) by_inverse = by_inverse.first(by_inverse.size() - 1);

  auto plan = std::make_unique<Plan>();
  plan->reads = std::move(pattern.reads);
  plan->products.reserve(rebuilt.size());
  Inverse inverted;
  if (!by_inverse.empty() || (!all_data_at_hand && !pattern.rebuilt_coding.empty())) {
    inverted = inverse(pattern);
    if (inverted.elements.empty()) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
  }
  for (const int chunk : by_inverse) {
    const auto row = std::span(inverted.elements).subspan(index(chunk * data_chunk_count()), index(data_chunk_count()));
    plan->products.push_back(dot_product(chunk, inverted.survivors, row));
  }
  if (by_inverse.size() < pattern.rebuilt_data.size()) plan->products.push_back(xor_of_others(pattern.rebuilt_data.back()));
  for (const int chunk : pattern.rebuilt_coding) {
    plan->products.push_back(all_data_at_hand ? encoding_[index(chunk - data_chunk_count())] : row_over_survivors(inverted, chunk));
  }
  return plan;
}

void MatrixCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  check_granule(chunk_size, granule);
  ChunkPointers<char> pointers;
  for (int chunk = 0; chunk < chunk_count(); chunk++) {
    pointers[index(chunk)] = library_pointer<char>(chunks[index(position(ChunkNumber{chunk}))]);
  }
  const auto lock = lock_if_needed();
  in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit, [&](int size) {
    for (const DotProduct& product : static_cast<const Plan&>(plan).products) multiply(pointers, product, size);
  });
}

const int* MatrixCode::coding_row(int coding_chunk) const {
  return design_.matrix.get() + std::ptrdiff_t{coding_chunk - data_chunk_count()} * data_chunk_count();
}

/// Empty if there is no inverse.
MatrixCode::Inverse MatrixCode::inverse(const ErasurePattern& pattern) const {
  const int k = data_chunk_count();
  Inverse result{std::vector<int>(index(k * k)), std::vector<int>(index(k))};
  // The function only reads the flags in pattern.erased, although this parameter is not const.
  if (jerasure_make_decoding_matrix(k, coding_chunk_count(), design_.w, design_.matrix.get(),
                                    const_cast<int*>(pattern.erased.data()), result.elements.data(),
                                    result.survivors.data()) != 0) {
    return {};
  }
  return result;
}

MatrixCode::DotProduct MatrixCode::dot_product(int destination, std::span<const int> sources,
                                               std::span<const int> coefficients) const {
  DotProduct product{destination, {}};
  product.terms.reserve(sources.size() + coefficients.size());
  product.terms.insert(product.terms.end(), sources.begin(), sources.end());
  product.terms.insert(product.terms.end(), coefficients.begin(), coefficients.end());
  return product;
}

MatrixCode::DotProduct MatrixCode::xor_of_others(int data_chunk) const {
  const int k = data_chunk_count();
  DotProduct product{data_chunk, std::vector<int>(index(2 * k), 1)};
  for (int i = 0; i < k; i++) product.terms[index(i)] = i < data_chunk ? i : i + 1;
  return product;
}

MatrixCode::DotProduct MatrixCode::row_over_survivors(const Inverse& inverse, int coding_chunk) const {
  const int k = data_chunk_count();
  DotProduct product = dot_product(coding_chunk, inverse.survivors, std::vector<int>(index(k), 0));
  for (int data_chunk = 0; data_chunk < k; data_chunk++) {
    const int factor = coding_row(coding_chunk)[data_chunk];
    for (int i = 0; i < k; i++) {
      product.terms[index(k + i)] ^= galois_single_multiply(factor, inverse.elements[index(data_chunk * k + i)], design_.w);
    }
  }
  return product;
}

void MatrixCode::multiply(ChunkPointers<char>& pointers, const DotProduct& product, int size_bytes) const {
  int* const sources = const_cast<int*>(product.terms.data());
  jerasure_matrix_dotprod(data_chunk_count(), design_.w, sources + data_chunk_count(), sources, product.destination,
                          pointers.data(), pointers.data() + data_chunk_count(), size_bytes);
}

std::unique_lock<std::mutex> MatrixCode::lock_if_needed() const {
  return needs_lock_ ? std::unique_lock(library_mutex()) : std::unique_lock<std::mutex>();
}

// The same calls of libJerasure as in Ceph's plugin (ErasureCodeJerasure.cc: encode_delta, matrix_apply_delta,
// schedule_apply_delta).

namespace {

/// Source and destination of GF-Complete must be equal modulo this.
constexpr std::uintptr_t region_alignment = 16;

using Multiply = void (*)(char* region, int factor, int size, char* product, int adds);

Multiply multiplication_in(int w) {
  return w == 8 ? galois_w08_region_multiply : w == 16 ? galois_w16_region_multiply : galois_w32_region_multiply;
}

/// At the beginning of `scratch`.
char* delta_of(const ChangedChunk& chunk, std::size_t offset, int size, std::span<std::uint8_t> scratch) {
  auto* delta = reinterpret_cast<char*>(scratch.data());
  std::memcpy(delta, chunk.old_bytes + offset, index(size));
  galois_region_xor(library_pointer<char>(chunk.new_bytes + offset), delta, size);
  return delta;
}

/// visit(offset, size) for each part of at most `part_size` bytes.
template <typename Visit>
void for_each_part(std::size_t size, std::size_t part_size, const Visit& visit) {
  for (std::size_t offset = 0; offset < size; offset += part_size) {
    visit(offset, static_cast<int>(std::min(part_size, size - offset)));
  }
}

}  // namespace

std::size_t MatrixCode::granularity() const { return index(design_.w) / 8; }

/// Two segments: the delta, and a copy of a coding chunk's segment that is not aligned.
std::size_t MatrixCode::scratch_size(std::size_t size) const {
  return 2 * round_up(std::min(size, segment_size_limit), chunk_alignment_bytes);
}

void MatrixCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                        std::span<std::uint8_t> scratch) const {
  check_granule(size, granularity());
  const Multiply multiply_region = multiplication_in(design_.w);
  auto* const aligned = reinterpret_cast<char*>(scratch.data() + scratch_size(size) / 2);
  const auto lock = lock_if_needed();
  for_each_part(size, segment_size_limit, [&](std::size_t offset, int part) {
    for (const ChangedChunk& chunk : changed) {
      char* const delta = delta_of(chunk, offset, part, scratch);
      for (std::size_t row = 0; row < coding.size(); row++) {
        char* const parity = reinterpret_cast<char*>(coding[row] + offset);
        const int factor = coding_row(data_chunk_count() + static_cast<int>(row))[index(chunk.chunk)];
        if (factor == 1) {
          galois_region_xor(delta, parity, part);
        } else if (reinterpret_cast<std::uintptr_t>(parity) % region_alignment == 0) {
          multiply_region(delta, factor, part, parity, 1);
        } else {
          std::memcpy(aligned, parity, index(part));
          multiply_region(delta, factor, part, aligned, 1);
          std::memcpy(parity, aligned, index(part));
        }
      }
    }
  });
}

std::size_t PacketCode::granularity() const { return layout_.block_size(); }

/// One segment of whole blocks. A block may exceed segment_size_limit, but fits in an int.
std::size_t PacketCode::scratch_size(std::size_t size) const {
  return std::min(size, std::max<std::size_t>(segment_size_limit / granularity(), 1) * granularity());
}

// As in Ceph's plugin: for each changed data chunk, coding chunk and block, the schedule is searched for the operations between the
// two.
void PacketCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                        std::span<std::uint8_t> scratch) const {
  check_granule(size, granularity());
  const std::size_t block = granularity();
  const int packet_size = layout_.packet_size;
  for_each_part(size, std::max<std::size_t>(scratch_size(size), 1), [&](std::size_t offset, int part) {
    for (const ChangedChunk& chunk : changed) {
      char* const delta = delta_of(chunk, offset, part, scratch);
      for (std::size_t row = 0; row < coding.size(); row++) {
        char* const parity = reinterpret_cast<char*>(coding[row] + offset);
        for (std::size_t begin = 0; begin < index(part); begin += block) {
          for (int** operation = delta_schedule_.get(); (*operation)[0] >= 0; operation++) {
            const int* const step = *operation;  // source chunk, source packet, destination chunk, destination packet
            if (step[0] != static_cast<int>(chunk.chunk) || step[2] != data_chunk_count() + static_cast<int>(row)) continue;
            galois_region_xor(delta + begin + index(step[1]) * index(packet_size),
                              parity + begin + index(step[3]) * index(packet_size), packet_size);
          }
        }
      }
    }
  });
}

}  // namespace ecbench::jerasure
