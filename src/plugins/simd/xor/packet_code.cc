#include "plugins/simd/xor/packet_code.h"

#include <algorithm>
#include <array>
#include <utility>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/index.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/simd/xor/decode_program.h"
#include "plugins/simd/xor/packet_matrices.h"

namespace ecbench::simd {
namespace {

using jerasure::PacketLayout;
using jerasure::PacketMatrix;

constexpr std::size_t most_piece_bytes = 512;  // no kernel has a larger XorKernel::most_bytes

/// If a program has at most this many operands and scratch packets, run() needs only a few pages of the stack for addresses and
/// scratch packets.
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

}  // namespace

struct PacketCode::Plan : DecodePlan {
  XorProgram program;
  std::vector<int> participants;  // positions: k sources, then the chunks to rebuild
};

PacketCode::PacketCode(PacketLayout layout, BitMatrix coding, const XorKernel& kernel)
    : ErasureCode(layout.shape),
      layout_(std::move(layout)),
      coding_(std::move(coding)),
      kernel_(kernel),
      encoding_(program_of(coding_, kernel.grouped_targets)) {}

std::size_t PacketCode::chunk_size(std::size_t object_size) const {
  return padded_chunk_size(object_size, data_chunk_count(), layout_.padding_unit);
}

void PacketCode::encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
                        std::size_t chunk_size) const {
  const auto chunks = chunk_pointers<std::uint8_t>(data, coding);
  run(encoding_, std::span(chunks).first(index(chunk_count())), chunk_size);
}

const ParityDelta* PacketCode::parity_delta() const {
  std::call_once(updates_are_made_, [this] {
    for (int chunk = 0; chunk < data_chunk_count(); chunk++) {
      updates_.push_back(update_program(coding_, layout_.w, chunk, kernel_.grouped_targets));
    }
  });
  return this;
}

void PacketCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                        std::span<std::uint8_t>) const {
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

std::unique_ptr<DecodePlan> PacketCode::make_plan(const Positions& erased, const Positions& rebuilt) const {
  const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
  std::optional<XorProgram> program = decode_program(coding_, layout_.w, pattern, kernel_.grouped_targets);
  if (!program) refuse_unrecoverable(erased, "the bit-matrix of the available chunks has no inverse");
  auto plan = std::make_unique<Plan>();
  plan->program = std::move(*program);
  plan->participants = participants(*this, pattern);
  plan->reads = pattern.reads;
  return plan;
}

void PacketCode::run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  const auto& own = static_cast<const Plan&>(plan);
  ChunkPointers<std::uint8_t> pointers;
  for (std::size_t i = 0; i < own.participants.size(); i++) pointers[i] = chunks[index(own.participants[i])];
  run(own.program, std::span(pointers).first(own.participants.size()), chunk_size);
}

void PacketCode::run(const XorProgram& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const {
  jerasure::check_granule(chunk_size, layout_.block_size());
  if (index(program.operand_count()) <= usual_operands && index(program.scratch_count) <= usual_scratch_packets) {
    run_blocks<usual_operands, usual_scratch_packets>(program, chunks, chunk_size);
  } else {
    run_blocks<index(most_operands), index(most_scratch_packets)>(program, chunks, chunk_size);
  }
}

template <std::size_t operands, std::size_t scratch_packets>
[[gnu::noinline]] void PacketCode::run_blocks(const XorProgram& program, std::span<std::uint8_t* const> chunks,
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

std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout, const XorKernel& kernel) {
  return std::make_unique<PacketCode>(layout, make_bit_matrix(matrix, layout), kernel);
}

}  // namespace ecbench::simd
