// Calls an erasure code as Ceph does (--timing api): each call allocates and frees the chunks that it writes, keeps chunks in a
// map, copies data chunks that must be padded, and requests its decode plan. The kernels are those of --timing kernel.

#pragma once

#include <functional>
#include <set>
#include <span>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Gets each chunk of a call.
using SeeChunk = std::function<void(int position, std::size_t stripe, std::span<const std::uint8_t> chunk)>;

/// Copies and pads only data chunks that extend beyond the object's end. `see` may be null.
void ceph_encode(const EncodedObject& object, const SeeChunk& see);

/// Allocates a node for each position, as Ceph's map of chunks does.
using AvailableChunks = std::set<int>;

/// `erased` must be ascending.
AvailableChunks available_chunks(const ErasureCode& code, const Positions& erased);

/// Rebuilds the chunks in both `wanted` and `erased`. `available`: the remaining positions, made once as by Ceph's tool with
/// --erased; null: made for each stripe, as without. `keeps_plans` (BenchmarkInfo::keeps_plans_in_ceph()): plans come from the
/// cache, otherwise they are computed for each stripe. `see` may be null.
void ceph_decode(const EncodedObject& object, const AvailableChunks* available, const Positions& erased, const Positions& wanted,
                 bool keeps_plans, const SeeChunk& see);

}  // namespace ecbench
