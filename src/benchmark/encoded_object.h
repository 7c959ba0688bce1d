// An object, encoded and checked, with a copy to compare with. It is the ground under every workload: whatever a code computes is
// held against the copy, which was itself decoded back from every coding chunk before anything is timed.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/chunk_buffers.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

class EncodedObject {
 public:
  /// Pads and splits `object`, encodes it, and checks the encoding: every byte of the coding chunks is written whatever was there
  /// before, and the data is decoded back through each of them in turn. Throws Error (wrong_bytes) if not. Ask require_memory()
  /// first.
  EncodedObject(const ErasureCode& code, std::span<const std::uint8_t> object);

  const ErasureCode& code() const { return code_; }
  const ChunkBuffers& chunks() const { return chunks_; }
  std::size_t chunk_size_bytes() const { return chunks_.chunk_size_bytes(); }

  /// Encodes the data chunks once.
  void encode() const { code_.encode(data_, coding_, chunk_size_bytes()); }

  /// Runs `plan` once.
  void decode(const DecodePlan& plan) const { code_.decode(plan, chunks_.all(), chunk_size_bytes()); }

  /// Overwrites the chunks at `positions` with the complement of their true bytes, so that none of them is right by chance.
  void poison(const Positions& positions) const;

  /// Poisons what `plan` has erased, decodes, and compares every chunk but the erased ones that the plan does not rebuild. Leaves all
  /// chunks as they were. Throws Error (wrong_bytes).
  void check_decode(const DecodePlan& plan) const;

  /// Compares every chunk with its copy. Throws Error (wrong_bytes) that names the chunk, the first wrong byte and `what` was done.
  void check(const char* what) const { check_except({}, what); }

 private:
  void place(std::span<const std::uint8_t> object);
  void check_except(const Positions& left_out, const char* what) const;
  void check_coding_chunk(int coding_position) const;
  void copy(const ChunkBuffers& from, const ChunkBuffers& to, std::span<const int> positions) const;

  const ErasureCode& code_;
  ChunkBuffers chunks_;
  ChunkBuffers truth_;
  std::vector<const std::uint8_t*> data_;  // in the object's order
  std::vector<std::uint8_t*> coding_;      // in the order of coding_positions()
};

}  // namespace ecbench
