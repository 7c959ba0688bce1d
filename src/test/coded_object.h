// Encodes objects with the plugins of this build, and rebuilds lost chunks. Memory around each chunk detects wrong accesses.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"
#include "erasure_code/registry.h"
#include "test/fenced_memory.h"

namespace ecbench::test {

struct Profiled {
  std::string plugin;
  std::string parameters;  ///< such as "k=4 m=2 technique=..."
};

void PrintTo(const Profiled& profiled, std::ostream* out);

/// The parameters of each of several plugins.
std::vector<Profiled> profiles_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& plugins);

/// The parameters " k=... m=...".
std::string shape(int k, int m);

/// The parameters of a text such as "k=4 m=2 technique=...".
Profile parsed_profile(const std::string& parameters);

/// The plugins of this build. Warnings are ignored. Each thread has its own registry.
Registry& registry();

/// Throws Error.
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, Profile profile, const Limits& limits = {});
std::unique_ptr<ErasureCode> make_code(const std::string& plugin, const std::string& parameters, const Limits& limits = {});

/// Checks that the plugin refuses the parameters with a message of one line that begins with the last parameter. Returns the
/// message.
std::string expect_refused(const std::string& plugin, const std::string& parameters);

/// Each chunk has fenced memory of its own, and ends at its end, less than chunk_alignment_bytes before it: its address is a
/// multiple of this number. All other bytes of this memory are guard bytes.
class ChunkSet {
 public:
  ChunkSet(int chunk_count, std::size_t chunk_size);

  std::span<std::uint8_t> operator[](int position);
  std::span<const std::uint8_t> operator[](int position) const;
  std::span<std::uint8_t* const> pointers() const { return pointers_; }
  std::size_t chunk_size() const { return chunk_size_; }
  /// False if a guard byte was changed.
  bool guards_are_whole() const;

 private:
  std::size_t chunk_size_;
  std::vector<std::shared_ptr<FencedMemory>> memory_;
  std::vector<std::uint8_t*> pointers_;
};

/// `size_bytes` pseudo-random bytes, the same in every call.
std::vector<std::uint8_t> random_object(std::size_t size_bytes);

/// Splits, pads and encodes `object`, and returns all chunks.
ChunkSet encoded(const ErasureCode& code, std::span<const std::uint8_t> object);

/// Computes the coding chunks. The data chunks must be in `chunks`.
void encode(const ErasureCode& code, ChunkSet& chunks);

/// Encodes data chunks of pseudo-random bytes with `chunk_size` bytes each, even if chunk_size() never returns this size.
ChunkSet encoded_chunks(const ErasureCode& code, std::size_t chunk_size);

/// Checks that both have the same chunks.
void expect_same(const ChunkSet& chunks, const ChunkSet& expected);

/// All sets of 1 to `most` chunks out of `chunk_count` chunks.
std::vector<Positions> erasure_patterns(int chunk_count, int most);

/// `count` of the positions, in ascending order.
Positions some_of(Positions positions, std::size_t count, std::mt19937& random);

/// The positions of all chunks, in ascending order.
Positions all_positions(const ErasureCode& code);
/// The positions of the data chunks, in the order of their numbers.
Positions data_positions(const ErasureCode& code);
/// The positions of all chunks that are not in `erased`.
Positions without(const ErasureCode& code, const Positions& erased);

/// Decodes a copy of `truth` in which all bits of the chunks that the plan does not read are inverted. Checks that the plan reads
/// no lost chunk, that the lost chunks in `wanted` are right, and that decode() changes no other chunk.
void check_decode(const ErasureCode& code, const ChunkSet& truth, const Positions& erased, const Positions& wanted);

/// What minimum_to_decode() requests for chunk `lost`. Checks that it is enough: repair(), if there is one, gets only this;
/// otherwise the decode plan must read exactly these chunks.
ReadSet checked_reads(const ErasureCode& code, const ChunkSet& truth, int lost);

/// For all losses of 1 to `most` chunks, calls check_decode() twice: first all lost chunks are wanted, then only the lost data
/// chunks. Returns the losses that the code refused.
std::vector<Positions> check_erasures(const ErasureCode& code, std::size_t object_size, int most);
std::vector<Positions> check_all_erasures(const ErasureCode& code, std::size_t object_size);

}  // namespace ecbench::test
