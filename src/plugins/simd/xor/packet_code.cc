#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "plugins/simd/codes.h"

namespace ecbench::simd {
namespace {

/// A sum of source packets. Bit i is 1 if the sum contains source i. If a source is added twice, it cancels out.
using Terms = BitRow;

class Decoder {
 public:
  Decoder(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets)
      : coding_(coding),
        w_(w),
        k_(coding.columns() / w),
        pattern_(pattern),
        builder_(k_ * w, static_cast<int>(pattern.rebuilt_data.size() + pattern.rebuilt_coding.size()) * w, grouped_targets),
        operand_of_(index(k_ * w), -1),
        has_scratch_(scratch_count() <= most_scratch_packets) {
    for (int i = 0; i < k_; i++) {
      const int chunk = pattern_.survivors[index(i)];
      if (chunk >= k_) continue;
      for (int p = 0; p < w_; p++) operand_of_[index(chunk * w_ + p)] = i * w_ + p;
    }
  }

  std::optional<XorProgram> program() {
    if (!pattern_.lost_data.empty()) {
      const std::optional<BitMatrix> inverted = inverse(part());
      if (!inverted) return {};
      add_syndromes();
      add_lost_data(*inverted);
    }
    add_coding();
    if (!has_scratch_) builder_.add_stage(std::move(sums_));
    return builder_.build();
  }

 private:
  int lost_count() const { return static_cast<int>(pattern_.lost_data.size()); }
  bool is_rebuilt(int data_chunk) const {
    return std::ranges::find(pattern_.rebuilt_data, data_chunk) != pattern_.rebuilt_data.end();
  }

  /// The number of data chunks that are lost and not wanted, but are needed to rebuild coding chunks.
  int unwanted_count() const {
    return pattern_.rebuilt_coding.empty() ? 0 : lost_count() - static_cast<int>(pattern_.rebuilt_data.size());
  }
  int scratch_count() const { return (lost_count() + unwanted_count()) * w_; }

  /// The rows of `coding_` that compute packets of surviving coding chunks. There are as many rows as lost data packets. Each pair
  /// contains the number of the row, and the number of the source that contains this coding packet.
  std::vector<std::pair<int, int>> coding_rows() const {
    std::vector<std::pair<int, int>> rows;
    for (int i = 0; i < k_; i++) {
      const int chunk = pattern_.survivors[index(i)];
      if (chunk < k_) continue;
      for (int p = 0; p < w_; p++) rows.emplace_back((chunk - k_) * w_ + p, i * w_ + p);
    }
    return rows;
  }

  /// The matrix that computes the syndromes from the lost data packets. A surviving coding packet is a sum of data packets. Its
  /// syndrome is the sum of those data packets that are lost.
  BitMatrix part() const {
    const auto rows = coding_rows();
    BitMatrix part(lost_count() * w_, lost_count() * w_);
    for (int r = 0; r < part.rows(); r++) {
      for (int c = 0; c < part.columns(); c++) {
        if (coding_.at(rows[index(r)].first, pattern_.lost_data[index(c / w_)] * w_ + c % w_)) part.flip(r, c);
      }
    }
    return part;
  }

  /// A packet, or a sum that is not stored in a packet. For a packet, `operand` is the number of the packet. For a sum, `operand`
  /// is -1, and `terms` contains the sources of the sum.
  struct Packet {
    int operand = -1;
    Terms terms;
  };

  void add(std::vector<int>& sources, Terms& terms, const Packet& packet) const {
    if (packet.operand >= 0) {
      sources.push_back(packet.operand);
    } else {
      add_to(terms, packet.terms);
    }
  }

  std::vector<int> all_sources(std::vector<int> sources, const Terms& terms) const {
    for (int i = 0; i < k_ * w_; i++) {
      if (bit(terms, i)) sources.push_back(i);
    }
    return sources;
  }

  Terms no_terms() const { return Terms(index(k_ * w_ / 64 + 1), 0); }

  /// Returns a scratch packet that will contain the sum of `sources` and `terms`. If there are not enough scratch packets,
  /// `sources` must be empty. The function then returns `terms` as a sum that is not stored in a packet.
  Packet intermediate(std::vector<int> sources, const Terms& terms) {
    if (!has_scratch_) return {-1, terms};
    const int scratch = builder_.new_scratch();
    sums_.push_back({scratch, all_sources(std::move(sources), terms)});
    return {scratch, no_terms()};
  }

  void end_stage() {
    if (has_scratch_) builder_.add_stage(std::exchange(sums_, {}));
  }

  void add_syndromes() {
    for (const auto& [row, own] : coding_rows()) {
      Terms terms = no_terms();
      flip(terms, own);
      for (int packet = 0; packet < k_ * w_; packet++) {
        if (coding_.at(row, packet) && operand_of_[index(packet)] >= 0) flip(terms, operand_of_[index(packet)]);
      }
      syndromes_.push_back(intermediate({}, terms));
    }
    end_stage();
  }

  void add_lost_data(const BitMatrix& inverted) {
    int target = 0;
    for (int row = 0; row < inverted.rows(); row++) {
      const int chunk = pattern_.lost_data[index(row / w_)];
      const bool is_target = is_rebuilt(chunk);
      if (!is_target && pattern_.rebuilt_coding.empty()) continue;
      std::vector<int> sources;
      Terms terms = no_terms();
      for (int s = 0; s < inverted.columns(); s++) {
        if (inverted.at(row, s)) add(sources, terms, syndromes_[index(s)]);
      }
      Packet packet{has_scratch_ ? builder_.target(target) : -1, terms};
      if (is_target) {
        sums_.push_back({builder_.target(target++), all_sources(std::move(sources), terms)});
      } else {
        packet = intermediate(std::move(sources), terms);
      }
      lost_packets_[chunk * w_ + row % w_] = packet;
    }
    end_stage();
  }

  void add_coding() {
    int target = static_cast<int>(pattern_.rebuilt_data.size()) * w_;
    for (const int chunk : pattern_.rebuilt_coding) {
      for (int p = 0; p < w_; p++) {
        std::vector<int> sources;
        Terms terms = no_terms();
        for (int packet = 0; packet < k_ * w_; packet++) {
          if (!coding_.at((chunk - k_) * w_ + p, packet)) continue;
          if (operand_of_[index(packet)] >= 0) {
            flip(terms, operand_of_[index(packet)]);
          } else {
            add(sources, terms, lost_packets_.at(packet));
          }
        }
        sums_.push_back({builder_.target(target++), all_sources(std::move(sources), terms)});
      }
    }
    end_stage();
  }

  const BitMatrix& coding_;
  int w_;
  int k_;
  const ErasurePattern& pattern_;
  XorProgramBuilder builder_;
  std::vector<int> operand_of_;  // for each data packet: the number of its source; -1 if the packet is lost
  bool has_scratch_;
  std::vector<PacketSum> sums_;
  std::vector<Packet> syndromes_;
  std::map<int, Packet> lost_packets_;
};

using jerasure::PacketLayout;
using jerasure::PacketMatrix;

constexpr std::size_t most_piece_bytes = 512;  // no kernel has a larger XorKernel::most_bytes

/// With at most as many operands and scratch packets, run() needs only a few pages of the stack for them.
constexpr std::size_t usual_operands = 512;
constexpr std::size_t usual_scratch_packets = 32;

/// An overwrite processes this number of bytes of each chunk at a time. The number is rounded down to whole blocks. If the number
/// is smaller than a block, one block is processed at a time.
constexpr std::size_t update_part_size = 4096;

BitMatrix make_bit_matrix(PacketMatrix matrix, const PacketLayout& layout) {
  const int k = layout.k();
  if (matrix == PacketMatrix::cauchy_orig) return cauchy_orig_bits(k, layout.m(), layout.w);
  if (matrix == PacketMatrix::cauchy_good) return cauchy_good_bits(k, layout.m(), layout.w);
  if (matrix == PacketMatrix::liberation) return liberation_bits(k, layout.w);
  if (matrix == PacketMatrix::blaum_roth) return blaum_roth_bits(k, layout.w);
  return liber8tion_bits(k);
}

class PacketCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// `coding` has m*w rows and k*w columns.
  PacketCode(PacketLayout layout, BitMatrix coding, const XorKernel& kernel)
      : ErasureCode(layout.shape),
        layout_(std::move(layout)),
        coding_(std::move(coding)),
        kernel_(kernel),
        encoding_(program_of(coding_, kernel.grouped_targets)) {}

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), layout_.padding_unit);
  }

  /// Throws Error if chunk_size is not a multiple of w * packetsize bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    const auto chunks = chunk_pointers<std::uint8_t>(data, coding);
    run(encoding_, std::span(chunks).first(index(chunk_count())), chunk_size);
  }

  /// The first call makes the XOR programs of update(). The constructor does not make them, because only overwrites need them.
  const ParityDelta* parity_delta() const override {
    std::call_once(updates_are_made_, [this] {
      for (int chunk = 0; chunk < data_chunk_count(); chunk++) {
        updates_.push_back(update_program(coding_, layout_.w, chunk, kernel_.grouped_targets));
      }
    });
    return this;
  }

  std::string kernel() const override { return kernel_.name; }

 protected:
  /// The plan computes all chunks in `rebuilt` with one XOR program. It reads the k available chunks that have the lowest numbers.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
    std::optional<XorProgram> program = decode_program(coding_, layout_.w, pattern, kernel_.grouped_targets);
    if (!program) refuse_unrecoverable(erased, "the bit-matrix of the available chunks has no inverse");
    auto plan = std::make_unique<Plan>();
    plan->program = std::move(*program);
    plan->participants = participants(*this, pattern);
    plan->reads = pattern.reads;
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto& own = static_cast<const Plan&>(plan);
    ChunkPointers<std::uint8_t> pointers;
    for (std::size_t i = 0; i < own.participants.size(); i++) pointers[i] = chunks[index(own.participants[i])];
    run(own.program, std::span(pointers).first(own.participants.size()), chunk_size);
  }

 private:
  struct Plan : DecodePlan {
    XorProgram program;
    std::vector<int> participants;  // positions: k sources, then the chunks to rebuild
  };

  /// The size of a block: w * packetsize bytes.
  std::size_t granularity() const override { return layout_.block_size(); }
  std::size_t scratch_size(std::size_t) const override { return 0; }
  /// A part of the coding chunks is updated for all changed chunks before the next part, so it stays in the cache.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t>) const override {
    jerasure::check_granule(size, granularity());
    const std::size_t most = std::max(update_part_size / granularity(), std::size_t{1}) * granularity();
    for (std::size_t offset = 0; offset < size; offset += most) {
      for (const ChangedChunk& chunk : changed) {
        ChunkPointers<std::uint8_t> pointers;
        pointers[0] = library_pointer<std::uint8_t>(chunk.old_bytes + offset);
        pointers[1] = library_pointer<std::uint8_t>(chunk.new_bytes + offset);
        std::ranges::transform(coding, pointers.begin() + 2, [&](std::uint8_t* bytes) { return bytes + offset; });
        run(updates_[index(chunk.chunk)], std::span(pointers).first(2 + coding.size()), std::min(most, size - offset));
      }
    }
  }

  /// Runs `program`. `chunks` contains the chunks with the program's sources, followed by the chunks with its targets.
  void run(const XorProgram& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
    jerasure::check_granule(chunk_size, layout_.block_size());
    if (index(program.operand_count()) <= usual_operands && index(program.scratch_count) <= usual_scratch_packets) {
      run_blocks<usual_operands, usual_scratch_packets>(program, chunks, chunk_size);
    } else {
      run_blocks<index(most_operands), index(most_scratch_packets)>(program, chunks, chunk_size);
    }
  }
  template <std::size_t operands, std::size_t scratch_packets>
  [[gnu::noinline]] void run_blocks(const XorProgram& program, std::span<std::uint8_t* const> chunks,
                                    std::size_t chunk_size) const {
    std::array<Address, operands> addresses;
    alignas(64) std::array<std::uint8_t, scratch_packets * most_piece_bytes> scratch;
    const std::size_t packet_size = index(layout_.packet_size);
    for (std::size_t block = 0; block < chunk_size; block += layout_.block_size()) {
      Address* next = addresses.data();
      for (std::uint8_t* const chunk : chunks) {
        Address packet = reinterpret_cast<Address>(chunk) + block;
        for (int i = 0; i < layout_.w; i++, packet += packet_size) *next++ = packet;
      }
      Address piece = reinterpret_cast<Address>(scratch.data());
      for (int i = 0; i < program.scratch_count; i++, piece += kernel_.most_bytes) *next++ = piece;
      kernel_.run(program.code, std::span(addresses.data(), next), index(program.scratch_count), packet_size);
    }
  }

  jerasure::PacketLayout layout_;
  BitMatrix coding_;
  const XorKernel& kernel_;
  XorProgram encoding_;
  mutable std::once_flag updates_are_made_;
  mutable std::vector<XorProgram> updates_;  // one for each data chunk
};

}  // namespace

std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets) {
  return Decoder(coding, w, pattern, grouped_targets).program();
}

std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout, const XorKernel& kernel) {
  return std::make_unique<PacketCode>(layout, make_bit_matrix(matrix, layout), kernel);
}

}  // namespace ecbench::simd
