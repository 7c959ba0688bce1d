#include "erasure_code/decode_plans.h"
#include "erasure_code/error.h"
#include "plugins/jerasure/codes.h"

namespace ecbench::jerasure {

namespace {

/// m*w rows and k*w columns; null if the library fails. Needs library_mutex().
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

Schedule checked(int** schedule) {
  if (schedule == nullptr) throw Error("libJerasure could not make a schedule: out of memory");
  return Schedule(schedule);
}

Schedule smart_schedule(int source_count, int destination_count, int w, int* rows) {
  return checked(jerasure_smart_bitmatrix_to_schedule(source_count, destination_count, w, rows));
}

class PacketCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// `bit_matrix` has m*w rows and k*w columns. The caller must have set up the field.
  PacketCode(PacketLayout layout, LibraryMatrix bit_matrix)
      : ErasureCode(layout.shape), layout_(std::move(layout)), bit_matrix_(std::move(bit_matrix)) {
    encoding_ = smart_schedule(data_chunk_count(), coding_chunk_count(), layout_.w, bit_matrix_.get());
    delta_schedule_ =
        checked(jerasure_dumb_bitmatrix_to_schedule(data_chunk_count(), coding_chunk_count(), layout_.w, bit_matrix_.get()));
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), layout_.padding_unit);
  }
  bool keeps_plans_in_ceph() const override { return false; }

  /// The schedule of jerasure_smart_bitmatrix_to_schedule for each block. Throws Error if chunk_size is not whole blocks.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    auto pointers = chunk_pointers<char>(data, coding);
    run_schedule(encoding_, std::span(pointers).first(index(chunk_count())), chunk_size);
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return "GF-Complete " + xor_kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return field_functions(xor_field); }

 protected:
  /// One schedule for all wanted chunks, which the plan keeps; jerasure_schedule_decode_lazy makes one in each call.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
    const int k = data_chunk_count();
    const int chunk_rows_size = k * layout_.w * layout_.w;

    // k*w by k*w; empty if no data chunk is lost.
    std::vector<int> inverse;
    if (!pattern.lost_data.empty()) {
      inverse.resize(index(k * chunk_rows_size));
      std::vector<int> erased_flags = pattern.erased;
      std::vector<int> survivors(index(k));
      if (jerasure_make_decoding_bitmatrix(k, coding_chunk_count(), layout_.w, bit_matrix_.get(), erased_flags.data(),
                                           inverse.data(), survivors.data()) != 0) {
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
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto& own = static_cast<const Plan&>(plan);
    ChunkPointers<char> pointers;
    std::ranges::transform(own.participants, pointers.begin(),
                           [&](int position) { return library_pointer<char>(chunks[index(position)]); });
    run_schedule(own.schedule, std::span(pointers).first(own.participants.size()), chunk_size);
  }

 private:
  struct Plan : DecodePlan {
    Schedule schedule;              // the schedule's chunks 0 to k-1 are the sources, its other chunks are the destinations
    std::vector<int> participants;  // the schedule's chunk i is at position participants[i]
  };

  /// A block: w * packet_size bytes.
  std::size_t granularity() const override { return layout_.block_size(); }
  /// One segment of whole blocks. A block may exceed segment_size_limit, but fits in an int.
  std::size_t scratch_size(std::size_t size) const override {
    return std::min(size, std::max<std::size_t>(segment_size_limit / granularity(), 1) * granularity());
  }
  // As in Ceph: for each changed chunk, coding chunk and block, the schedule is searched for the operations between the two.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
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

  /// The w rows of a coding chunk over the survivors: its rows of the bit-matrix, times `inverse` unless that is empty.
  void add_coding_rows(const std::vector<int>& inverse, int coding_chunk, std::vector<int>& rows) const {
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
  void run_schedule(const Schedule& schedule, std::span<char*> pointers, std::size_t chunk_size) const {
    check_granule(chunk_size, layout_.block_size());
    in_segments(pointers, chunk_size, layout_.block_size(),
                [&](int) { jerasure_do_scheduled_operations(pointers.data(), schedule.get(), layout_.packet_size); });
  }

  PacketLayout layout_;
  LibraryMatrix bit_matrix_;
  Schedule encoding_;
  Schedule delta_schedule_;  // one operation for each 1 in the bit-matrix
};

}  // namespace

std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout) {
  const std::lock_guard lock(library_mutex());
  LibraryMatrix bit_matrix = make_bit_matrix(matrix, layout.k(), layout.m(), layout.w);
  if (bit_matrix == nullptr) throw Error("libJerasure could not make the matrix of this profile");
  return std::make_unique<PacketCode>(layout, std::move(bit_matrix));
}

}  // namespace ecbench::jerasure
