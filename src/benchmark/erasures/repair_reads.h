// The bytes that the code requests for a repair, and the resulting cost for drives and network.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

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
