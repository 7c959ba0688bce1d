#include <algorithm>
#include <cstddef>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/jerasure/codes.h"

namespace ecbench::jerasure {

LibraryMatrix make_bit_matrix(PacketMatrix matrix, int k, int m, int w) {
  const bool is_cauchy = matrix == PacketMatrix::cauchy_orig || matrix == PacketMatrix::cauchy_good;
  set_up_field(is_cauchy ? w : xor_field);
  if (is_cauchy) {
    const LibraryMatrix elements(matrix == PacketMatrix::cauchy_orig ? cauchy_original_coding_matrix(k, m, w)
                                                                     : cauchy_good_general_coding_matrix(k, m, w));
    return LibraryMatrix(elements == nullptr ? nullptr : jerasure_matrix_to_bitmatrix(k, m, w, elements.get()));
  }
  if (matrix == PacketMatrix::liberation) return LibraryMatrix(liberation_coding_bitmatrix(k, w));
  if (matrix == PacketMatrix::blaum_roth) return LibraryMatrix(blaum_roth_coding_bitmatrix(k, w));
  return LibraryMatrix(liber8tion_coding_bitmatrix(k));
}

namespace {

Schedule checked(int** schedule) {
  if (schedule == nullptr) throw Error("libJerasure could not make a schedule: out of memory");
  return Schedule(schedule);
}

Schedule smart_schedule(int source_count, int destination_count, int w, int* rows) {
  return checked(jerasure_smart_bitmatrix_to_schedule(source_count, destination_count, w, rows));
}

}  // namespace

std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout) {
  const std::lock_guard lock(library_mutex());
  LibraryMatrix bit_matrix = make_bit_matrix(matrix, layout.k(), layout.m(), layout.w);
  if (bit_matrix == nullptr) throw Error("libJerasure could not make the matrix of this profile");
  return std::make_unique<PacketCode>(layout, std::move(bit_matrix));
}

struct PacketCode::Plan : DecodePlan {
  Schedule schedule;              // the schedule's chunks 0 to k-1 are the sources, its other chunks are the destinations
  std::vector<int> participants;  // the schedule's chunk i is at position participants[i]
};

PacketCode::PacketCode(PacketLayout layout, LibraryMatrix bit_matrix)
    : ErasureCode(layout.shape), layout_(std::move(layout)), bit_matrix_(std::move(bit_matrix)) {
  encoding_ = smart_schedule(data_chunk_count(), coding_chunk_count(), layout_.w, bit_matrix_.get());
  delta_schedule_ =
      checked(jerasure_dumb_bitmatrix_to_schedule(data_chunk_count(), coding_chunk_count(), layout_.w, bit_matrix_.get()));
}

std::size_t PacketCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), layout_.padding_unit);
}

void PacketCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                        std::size_t chunk_size) const {
  auto pointers = chunk_pointers<char>(data, coding);
  run_schedule(encoding_, std::span(pointers).first(index(chunk_count())), chunk_size);
}

std::string PacketCode::kernel() const { return "GF-Complete " + xor_kernel(); }

std::vector<KernelFunction> PacketCode::kernel_functions() const { return field_functions(xor_field); }

std::unique_ptr<DecodePlan> PacketCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
  const int k = data_chunk_count();
  const int chunk_rows_size = k * layout_.w * layout_.w;

  // k*w by k*w; empty if no data chunk is lost.
  std::vector<int> inverse;
  if (!pattern.lost_data.empty()) {
    inverse.resize(index(k * chunk_rows_size));
    std::vector<int> erased_flags = pattern.erased;
    std::vector<int> survivors(index(k));
    if (jerasure_make_decoding_bitmatrix(k, coding_chunk_count(), layout_.w, bit_matrix_.get(), erased_flags.data(), inverse.data(),
                                         survivors.data()) != 0) {
      refuse_unrecoverable(erased, "the bit-matrix of the available chunks has no inverse");
    }
  }
  std::vector<int> rows;
  for (const int chunk : pattern.rebuilt_data) {
    const auto first = inverse.begin() + std::ptrdiff_t{chunk} * chunk_rows_size;
    rows.insert(rows.end(), first, first + chunk_rows_size);
  }
  for (const int chunk : pattern.rebuilt_coding) add_coding_rows(inverse, chunk, rows);

  auto plan = std::make_unique<Plan>();
  plan->reads = pattern.reads;
  plan->participants = participants(*this, pattern);
  plan->schedule = smart_schedule(k, static_cast<int>(rebuilt.size()), layout_.w, rows.data());
  return plan;
}

void PacketCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  ChunkPointers<char> pointers;
  std::ranges::transform(own.participants, pointers.begin(),
                         [&](int position) { return library_pointer<char>(chunks[index(position)]); });
  run_schedule(own.schedule, std::span(pointers).first(own.participants.size()), chunk_size);
}

/// The w rows of a coding chunk over the survivors: its rows of the bit-matrix, times `inverse` unless that is empty.
void PacketCode::add_coding_rows(const std::vector<int>& inverse, int coding_chunk, std::vector<int>& rows) const {
  const int width = data_chunk_count() * layout_.w;
  const int* row = bit_matrix_.get() + std::ptrdiff_t{coding_chunk - data_chunk_count()} * layout_.w * width;
  for (int packet = 0; packet < layout_.w; packet++, row += width) {
    if (inverse.empty()) {
      rows.insert(rows.end(), row, row + width);
      continue;
    }
    std::vector<int> sum(index(width), 0);
    for (int i = 0; i < width; i++) {
      if (row[i] == 0) continue;
      const int* addend = inverse.data() + index(i) * index(width);
      for (int j = 0; j < width; j++) sum[index(j)] ^= addend[j];
    }
    rows.insert(rows.end(), sum.begin(), sum.end());
  }
}

void PacketCode::run_schedule(const Schedule& schedule, std::span<char*> pointers, std::size_t chunk_size) const {
  check_granule(chunk_size, layout_.block_size());
  in_segments(pointers, chunk_size, layout_.block_size(),
              [&](int) { jerasure_do_scheduled_operations(pointers.data(), schedule.get(), layout_.packet_size); });
}

}  // namespace ecbench::jerasure
