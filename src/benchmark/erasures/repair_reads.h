// The bytes that the code requests for a repair, and the resulting cost for drives and network.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// A lost chunk, and the bytes of other chunks that its repair reads.
struct LostChunk {
  int position = 0;
  ReadSet reads;
};

/// The chunks that are lost, one at a time.
struct LostChunks {
  std::vector<LostChunk> chunks;    ///< in the order of use
  std::uint64_t unrecoverable = 0;  ///< number of chunks that the code cannot rebuild from all other chunks; they are left out
};

/// The result of minimum_to_decode() for `erased` if all other chunks are available. Throws Error: unrecoverable if the code cannot
/// rebuild `erased`; bad_input if the plugin requests a lost chunk, a chunk with an empty list of sub-chunks, sub-chunks that do
/// not exist, or sub-chunks that are repeated or not in ascending order.
ReadSet reads_for(const ErasureCode& code, const Positions& erased);

int sub_chunks_of(const std::vector<SubChunkRun>& runs);

/// True if at least one chunk is read only in part. If true, ErasureCode::repair() rebuilds the lost chunk. If false, a decode plan
/// rebuilds the lost chunk.
bool reads_parts(const ReadSet& reads, int sub_chunk_count);

/// The chunk that `point` gives as erased, or each of the n chunks in turn. Throws Error if no chunk can be rebuilt. If `point`
/// gives a chunk, throws the errors of reads_for() for this chunk.
LostChunks lost_chunks(const ErasureCode& code, const Point& point);

/// The cost of the reads. The unit of the two factors is one chunk.
struct ReadCost {
  double chunks_read = 0;   ///< number of chunks that are read, fully or partly
  double drive_factor = 0;  ///< bytes read
  /// Bytes sent over the network. The primary is the OSD with the lowest-numbered chunk that is read. It reads its own share
  /// locally, receives the rest, and sends the rebuilt chunks: bytes read - own share + rebuilt chunks.
  double network_factor = 0;
  double reads_per_helper = 0;  ///< mean number of contiguous reads from a chunk
};

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, int rebuilt_chunks = 1);

/// The mean cost of repairs that rebuild one chunk each. `reads` contains one ReadSet for each repair and must not be empty.
ReadCost mean_read_cost(std::span<const ReadSet> reads, int sub_chunk_count);

}  // namespace ecbench
