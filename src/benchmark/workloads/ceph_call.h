// Calls an erasure code as Ceph does. Each call allocates memory for the chunks that it writes, and frees this memory at its end.
// The chunks of a call are in a map. An encode call copies data chunks that must be padded. A decode call requests its decode plan.
// With --timing api, ecbench times all of this, so that the figures can be compared with the figures of Ceph's tool. The kernels
// are the same as with --timing kernel.

#pragma once

#include <functional>
#include <set>
#include <span>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Receives each chunk that an encode or decode call returns: its position, its stripe, and its bytes.
using SeeChunk = std::function<void(int position, std::size_t stripe, std::span<const std::uint8_t> chunk)>;

/// Encodes each stripe of `object`. Complete data chunks are used without a copy. Data chunks that extend beyond the object's end
/// are copied and padded. `see` may be null.
void ceph_encode(const EncodedObject& object, const SeeChunk& see);

/// The positions of the chunks that a decode call gets. The container allocates a node for each position, as Ceph's map of chunks
/// does.
using AvailableChunks = std::set<int>;

/// All positions of `code` that are not in `erased`. `erased` must be ascending.
AvailableChunks available_chunks(const ErasureCode& code, const Positions& erased);

/// For each stripe of `object`, rebuilds the chunks in `wanted` that are also in `erased`. `available` contains the positions of
/// the remaining chunks. With --erased, Ceph's tool makes this set once for all calls; the caller must do the same. Without
/// --erased, Ceph's tool makes the set for each stripe. In this case `available` is null, and this function makes the set for each
/// stripe. `keeps_plans` is BenchmarkInfo::keeps_plans_in_ceph(). If it is true, the plan comes from the cache of plans. If it is
/// false, the plan is computed again for each stripe. `see` may be null.
void ceph_decode(const EncodedObject& object, const AvailableChunks* available, const Positions& erased, const Positions& wanted,
                 bool keeps_plans, const SeeChunk& see);

}  // namespace ecbench
