// What the repair of lost chunks reads, as the code itself asks for it, and what that costs drives and network.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// A lost chunk, and what must be read of the others to rebuild it.
struct LostChunk {
  int position = 0;
  ReadSet reads;
};

/// The chunks that are lost one at a time.
struct LostChunks {
  std::vector<LostChunk> chunks;    ///< in the order in which they are visited
  std::uint64_t unrecoverable = 0;  ///< chunks that the code cannot rebuild from all others, which are left out
};

/// minimum_to_decode() of `erased` from all chunks that are left. Throws Error: unrecoverable if it cannot be done, bad_input for a
/// plugin that asks for what cannot be read: a lost chunk, sub-chunks that do not exist, or one of them twice.
ReadSet reads_for(const ErasureCode& code, const Positions& erased);

int sub_chunks_of(const std::vector<SubChunkRun>& runs);

/// Whether something is read of less than a whole chunk: then ErasureCode::repair() rebuilds the lost chunk, else a plan does.
bool reads_parts(const ReadSet& reads, int sub_chunk_count);

/// The chunk that `point` names as erased, else each of the n in turn. Throws Error as reads_for() does for a chunk that is named,
/// or if none can be rebuilt.
LostChunks lost_chunks(const ErasureCode& code, const Point& point);

/// What reading costs. A chunk is the unit of both factors.
struct ReadCost {
  double chunks_read = 0;   ///< chunks that are read, in whole or in part
  double drive_factor = 0;  ///< bytes read
  /// Bytes sent. The primary is the lowest-numbered of the chunks that are read; it reads its own share where it is, receives the
  /// rest, and sends the rebuilt chunks on: bytes read - own share + rebuilt chunks.
  double network_factor = 0;
  double reads_per_helper = 0;  ///< contiguous runs that each chunk is read in, on average
};

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, int rebuilt_chunks = 1);

/// The means over single lost chunks, at least one.
ReadCost mean_read_cost(std::span<const ReadSet> reads, int sub_chunk_count);

}  // namespace ecbench
