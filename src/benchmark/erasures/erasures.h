// The erasure patterns of a decode measurement: one that the user gives, all, or random ones, each with its decode plan. Also how
// many patterns a code cannot recover, what a repair reads, and its cost for drives and network.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

struct ErasurePatterns {
  std::vector<std::shared_ptr<const DecodePlan>> plans;  ///< one for each chosen pattern, in the order of use
  std::uint64_t considered = 0;                          ///< number of patterns for which a plan was requested
  std::uint64_t unrecoverable = 0;                       ///< number of these patterns that the code cannot recover
};

/// Throws Error if a position in `erased`, which is sorted, is not below `chunk_count`.
void check_erased(const Positions& erased, int chunk_count);

/// The same for point.erased; also throws Error if more than `coding_chunk_count` chunks are lost.
void check_erasures(const Point& point, int chunk_count, int coding_chunk_count);

/// Of `erasures` lost chunks among `chunk_count`; uncountable_patterns if the number is 1.8e19 or more.
std::uint64_t pattern_count(int chunk_count, int erasures);

inline constexpr std::uint64_t uncountable_patterns = std::numeric_limits<std::uint64_t>::max();

/// Or "more than 10^19".
std::string pattern_count_text(std::uint64_t count);

/// Replaces `pattern` by the next one in lexicographic order. Returns false if it is the last.
bool next_pattern(Positions& pattern, int chunk_count);

/// Random patterns depend on the point's seed, and each is chosen at most once: at most 256 (for large objects fewer, but at least
/// 16, because the check of each pattern decodes an object), and at most one for each iteration, if `point` gives their number. If
/// there are not more than this maximum, all are considered. After one second, no more are considered, unless none was recoverable.
///
/// Throws Error: bad_input if `point` requests all patterns, but they are too many, or their plans do not fit in memory;
/// unrecoverable if the code cannot recover the given pattern, or any of the considered ones.
ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point);

/// For the chunks of point.want. Throws Error (unrecoverable).
std::shared_ptr<const DecodePlan> decode_plan(const ErasureCode& code, const Point& point, const Positions& erased);

struct LossCount {
  std::uint64_t patterns = 0;       ///< number of patterns with `losses` lost chunks; uncountable_patterns if there are too many
  std::uint64_t checked = 0;        ///< number of patterns that were checked
  std::uint64_t unrecoverable = 0;  ///< number of checked patterns that the code cannot recover
};

/// Checks all patterns of `losses` lost chunks (at most coding_chunk_count()), or `most` random ones, by their decode plans.
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

struct LostChunk {
  int position = 0;
  ReadSet reads;
};

/// Only one at a time.
struct LostChunks {
  std::vector<LostChunk> chunks;    ///< in the order of use
  std::uint64_t unrecoverable = 0;  ///< number of chunks that the code cannot rebuild; these chunks are not in `chunks`
};

/// minimum_to_decode() for `erased` if all others are available. Throws Error: unrecoverable; bad_input if the plugin's result
/// contains a lost chunk, or a list of sub-chunks that is empty, not ascending, or has one that does not exist.
ReadSet reads_for(const ErasureCode& code, const Positions& erased);

int sub_chunks_of(const std::vector<SubChunkRun>& runs);

/// Then ErasureCode::repair() rebuilds the chunk, otherwise a decode plan.
bool reads_parts(const ReadSet& reads, int sub_chunk_count);

/// The erased chunk of `point`, otherwise all chunks that the code can rebuild. Throws Error if there are none.
LostChunks lost_chunks(const ErasureCode& code, const Point& point);

/// drive_factor and network_factor are in chunks.
struct ReadCost {
  double chunks_read = 0;   ///< number of chunks that are read, fully or partly
  double drive_factor = 0;  ///< bytes that are read
  /// Bytes that are sent over the network. As in Ceph, the primary is the OSD of the first chunk that is not lost. It receives the
  /// bytes of the helpers, except those of its own chunk, and sends the rebuilt chunks.
  double network_factor = 0;
  double reads_per_helper = 0;  ///< mean number of contiguous reads per helper
};

/// The cost of rebuilding the chunks `erased`.
ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, const Positions& erased);

/// The mean cost of `repairs`, which must not be empty.
ReadCost mean_read_cost(std::span<const LostChunk> repairs, int sub_chunk_count);

/// BlueStore reads and verifies whole checksum blocks.
struct BlockReads {
  double factor = 0;            ///< bytes that are read, divided by the size of a chunk
  double reads_per_helper = 0;  ///< mean number of contiguous reads per helper and stripe
};

/// For a chunk of a large object, whose parts in consecutive stripes are contiguous. Both sizes must be at least 1.
BlockReads block_reads(const ReadSet& reads, int sub_chunk_count, std::uint64_t stripe_chunk_bytes, std::uint64_t block_bytes);

}  // namespace ecbench
