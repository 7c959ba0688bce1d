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

/// The chunks that are lost in a measurement of repairs. Only one of these chunks is lost at a time.
struct LostChunks {
  std::vector<LostChunk> chunks;    ///< in the order of use
  std::uint64_t unrecoverable = 0;  ///< number of chunks that the code cannot rebuild; these chunks are not in `chunks`
};

/// The result of minimum_to_decode() for `erased` if all other chunks are available. Throws Error of kind unrecoverable if the code
/// cannot rebuild `erased`. Throws Error of kind bad_input if the result of the plugin contains a lost chunk, or a list of
/// sub-chunks that is not valid. A list is not valid if it is empty, is not in ascending order, or contains a sub-chunk that does
/// not exist or is repeated.
ReadSet reads_for(const ErasureCode& code, const Positions& erased);

int sub_chunks_of(const std::vector<SubChunkRun>& runs);

/// True if at least one chunk is read only in part. If true, the lost chunk is rebuilt with ErasureCode::repair(). If false, it is
/// rebuilt with a decode plan.
bool reads_parts(const ReadSet& reads, int sub_chunk_count);

/// If `point` gives an erased chunk, returns this chunk, or throws the errors of reads_for(). Otherwise, returns all chunks that
/// the code can rebuild. If there are none, throws Error.
LostChunks lost_chunks(const ErasureCode& code, const Point& point);

/// The cost of the reads of a repair. drive_factor and network_factor are numbers of bytes, divided by the size of a chunk.
struct ReadCost {
  double chunks_read = 0;   ///< number of chunks that are read, fully or partly
  double drive_factor = 0;  ///< bytes that are read
  /// Bytes that are sent over the network. The primary is the OSD that stores the helper at the lowest position. The primary reads
  /// this helper locally, receives the bytes of the other helpers, and sends the rebuilt chunks. Therefore the value is the bytes
  /// of all helpers except the primary's helper, plus the bytes of the rebuilt chunks.
  double network_factor = 0;
  double reads_per_helper = 0;  ///< mean number of contiguous reads per helper
};

ReadCost read_cost(const ReadSet& reads, int sub_chunk_count, int rebuilt_chunks = 1);

/// The mean cost of repairs that rebuild one chunk each. `reads` contains one ReadSet for each repair and must not be empty.
ReadCost mean_read_cost(std::span<const ReadSet> reads, int sub_chunk_count);

}  // namespace ecbench
