// The parameters, limits and chunk sizes of jerasure's packet codes. They are the same in plugin jerasure, which uses libJerasure,
// and in plugin simd, which uses its own kernels.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"

namespace ecbench::jerasure {

/// Bit matrices of the packet codes. cauchy_orig and cauchy_good are Cauchy Reed-Solomon codes. The other three are RAID-6 codes
/// that need few XORs. Sources:
/// cauchy_orig: Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995.
/// cauchy_good: Plank and Xu, "Optimizing Cauchy Reed-Solomon Codes for Fault-Tolerant Network Storage Applications", 2006.
/// liberation: Plank, "The RAID-6 Liberation Codes", 2008.
/// blaum_roth: Blaum and Roth, "On Lowest Density MDS Codes", 1999.
/// liber8tion: Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008.
enum class PacketMatrix { cauchy_orig, cauchy_good, liberation, blaum_roth, liber8tion };

/// The layout of the chunks of a packet code. A chunk consists of blocks of w packets. Each packet of a coding chunk is the XOR of
/// some packets of the data chunks.
struct PacketLayout {
  Shape shape;
  int w = 8;                     ///< number of packets in a block
  int packet_size = 2048;        ///< in bytes; w * packet_size fits in an int
  std::size_t padding_unit = 0;  ///< in bytes; a multiple of block_size(). Chunk sizes are multiples of padding_unit

  int k() const { return shape.data_chunk_count; }
  int m() const { return shape.chunk_count - shape.data_chunk_count; }
  std::size_t block_size() const { return static_cast<std::size_t>(w) * static_cast<std::size_t>(packet_size); }
};

using MakePacketCode =
    std::function<std::unique_ptr<ErasureCode>(PacketMatrix matrix, const PacketLayout& layout, const Context& context)>;

/// Returns one technique for each PacketMatrix. Each technique has the same name as in Ceph. `make` is called only with valid
/// layouts.
std::vector<Technique> packet_techniques(const MakePacketCode& make);

}  // namespace ecbench::jerasure
