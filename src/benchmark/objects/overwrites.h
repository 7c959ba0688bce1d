// Overwrites of whole data chunks: what is allowed, the memory that they take, and what a store reads and writes for them.

#pragma once

#include <cstddef>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// No code of Ceph has more data chunks than this.
inline constexpr int most_changed_chunks = 256;

/// Throws Error if `code` has no parity delta, or if it cannot overwrite point.changed_chunks data chunks of `chunk_size` bytes
/// each.
void check_overwrite(const ErasureCode& code, const Point& point, std::size_t chunk_size);

/// How many buffers of `stripe_count` * `chunk_size` bytes an overwrite needs in addition to the chunks: the new bytes of each
/// changed chunk, then the memory for one stripe. 0 if no chunk changes.
int overwrite_buffers(const ErasureCode& code, int changed_chunks, std::size_t chunk_size, std::size_t stripe_count);

/// Fills the extra buffers of `chunks` with the new bytes of `changed_chunks` chunks. They are pseudo-random and always the same.
void fill_new_bytes(const ChunkBuffers& chunks, int changed_chunks);

/// Numbers of chunks, which are on different drives, that a store reads and writes.
struct ChunkAccesses {
  int reads = 0;
  int writes = 0;
};

/// The chunks that a store reads and writes for an overwrite. By delta: reads the changed chunks and all coding chunks, and writes
/// them. By re-encoding: reads the data chunks that do not change, and writes the changed chunks and all coding chunks.
struct OverwriteCost {
  ChunkAccesses by_delta;
  ChunkAccesses by_reencoding;
};

OverwriteCost overwrite_cost(int changed_chunks, int data_chunk_count, int coding_chunk_count);

}  // namespace ecbench
