// One call of an erasure code as Ceph makes it: chunks that do not exist yet are allocated for the call and freed after it, data is
// padded by copying, the decode plan is asked for, and the results come in a map. This is what --timing api times, so that figures
// compare with Ceph's own tool; the code's kernels are the same.

#pragma once

#include <functional>
#include <set>
#include <span>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Sees a chunk that a call made, by position and stripe.
using SeeChunk = std::function<void(int position, std::size_t stripe, std::span<const std::uint8_t> chunk)>;

/// Encodes each stripe of `object`: data chunks that lie whole and aligned in the object are used where they are, those that reach
/// past its end are copied and padded. `see` may be null.
void ceph_encode(const EncodedObject& object, const SeeChunk& see);

/// The positions of the chunks that a decode call gets, in a container that allocates for each, as Ceph's map of chunks.
using AvailableChunks = std::set<int>;

/// All positions of `code` that are not in `erased`, which is ascending.
AvailableChunks available_chunks(const ErasureCode& code, const Positions& erased);

/// Rebuilds those of `wanted` that are in `erased` for each stripe of `object`. `available` are the chunks that are left, made once
/// for all calls, as Ceph's tool does with --erased; null: they are made for each stripe, as it does with other erasures. The plan
/// is looked up among those kept, or computed again for codes whose plans Ceph does not keep (ErasureCode::keeps_plans_in_ceph).
/// `see` may be null.
void ceph_decode(const EncodedObject& object, const AvailableChunks* available, const Positions& erased, const Positions& wanted,
                 const SeeChunk& see);

}  // namespace ecbench
