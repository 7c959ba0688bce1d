// An object that is encoded by a code of the built plugins, in buffers with guards around them. Also checks that every loss is
// recovered.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"

namespace ecbench::test {

/// Makes the code of `profile`. Adds the registry's warnings to `warnings` unless `warnings` is null. Throws Error.
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, Profile profile, std::vector<std::string>* warnings = nullptr);

/// Makes the code for parameters such as "k=4 m=2 technique=...".
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const std::string& parameters);

/// n chunks at multiples of chunk_alignment_bytes.
class ChunkSet {
 public:
  ChunkSet(int chunk_count, std::size_t chunk_size);

  std::span<std::uint8_t> operator[](int position);
  std::span<const std::uint8_t> operator[](int position) const;
  std::span<std::uint8_t* const> pointers() const { return pointers_; }
  std::size_t chunk_size() const { return chunk_size_; }
  /// False if a byte before or after a chunk was written.
  bool guards_are_whole() const;

 private:
  std::size_t chunk_size_;
  std::size_t stride_;
  std::vector<std::uint8_t> bytes_;
  std::uint8_t* first_ = nullptr;
  std::vector<std::uint8_t*> pointers_;
};

/// `size_bytes` pseudo-random bytes, the same in every call.
std::vector<std::uint8_t> random_object(std::size_t size_bytes);

/// `object`, split into chunks, padded and encoded.
ChunkSet encoded(const ErasureCode& code, std::span<const std::uint8_t> object);

/// All sets of 1 to `most` chunks out of `chunk_count` chunks.
std::vector<Positions> erasure_patterns(int chunk_count, int most);

/// Two sets: all chunks, and only the data chunks.
Positions all_positions(const ErasureCode& code);
Positions data_positions(const ErasureCode& code);

/// Decodes a copy of `truth`. In this copy, all bytes of chunks that the plan does not read are complemented. Checks that the
/// wanted chunks are correct, that no lost chunk is read, and that no other chunk is written.
void check_decode(const ErasureCode& code, const ChunkSet& truth, const Positions& erased, const Positions& wanted);

/// The result of minimum_to_decode() for chunk `lost` if all other chunks are available. Checks that these reads are enough to
/// rebuild the chunk. If the code has repair(), the chunk is rebuilt by repair(), which gets only these reads. Otherwise it is
/// rebuilt by decode(), whose plan must read exactly these chunks.
ReadSet checked_reads(const ErasureCode& code, const ChunkSet& truth, int lost);

/// Calls check_decode for all losses of 1 to m chunks: once with all lost chunks wanted, once with only the data chunks wanted.
/// Returns the losses that the code refused.
std::vector<Positions> check_all_erasures(const ErasureCode& code, std::size_t object_size);

}  // namespace ecbench::test
