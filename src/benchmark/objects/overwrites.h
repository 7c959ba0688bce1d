// Overwrites of whole data chunks: those that are allowed, their memory, and the chunks that a store reads and writes for them.

#pragma once

#include <cstddef>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// The largest number of data chunks that one overwrite can change. No pool of Ceph has more data chunks.
inline constexpr int most_changed_chunks = 256;

/// True if `code` has a parity delta that can update chunks of `chunk_size` bytes.
bool has_parity_delta(const ErasureCode& code, std::size_t chunk_size);

/// Throws Error if `code` has no parity delta, or cannot overwrite point.changed_chunks data chunks of `chunk_size` bytes.
void check_overwrite(const ErasureCode& code, const Point& point, std::size_t chunk_size);

/// Buffers of `stripe_count` * `chunk_size` bytes in addition to the chunks: one for the new bytes of each changed chunk, then the
/// scratch memory of the parity delta for one stripe. 0 if `changed_chunks` is 0.
int overwrite_buffers(const ErasureCode& code, int changed_chunks, std::size_t chunk_size, std::size_t stripe_count);

/// Fills the extra buffers of `chunks` with the new bytes: pseudo-random, the same in every call.
void fill_new_bytes(const ChunkBuffers& chunks, int changed_chunks);

/// Chunks that a store reads and writes.
struct ChunkAccesses {
  int reads = 0;
  int writes = 0;
};

/// Both ways write the changed chunks and all coding chunks. With a parity delta, the store reads the same chunks; with
/// re-encoding, the data chunks that do not change.
struct OverwriteCost {
  ChunkAccesses by_delta;
  ChunkAccesses by_reencoding;
};

OverwriteCost overwrite_cost(int changed_chunks, int data_chunk_count, int coding_chunk_count);

}  // namespace ecbench
