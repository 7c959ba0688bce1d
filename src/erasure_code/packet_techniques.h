// The parameters, limits and chunk sizes of jerasure's packet codes. They are the same in plugin jerasure, which uses libJerasure,
// and in plugin simd, which uses its own kernels.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"

namespace ecbench::jerasure {

/// Cauchy Reed-Solomon codes as bit matrices (Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995; Plank and Xu,
/// "Optimizing Cauchy Reed-Solomon Codes for Fault-Tolerant Network Storage Applications", 2006), and RAID-6 codes that need few
/// XORs (Plank, "The RAID-6 Liberation Codes", 2008; Blaum and Roth, "On Lowest Density MDS Codes", 1999; Plank, "A New Minimum
/// Density RAID-6 Code with a Word Size of Eight", 2008).
enum class PacketMatrix { cauchy_orig, cauchy_good, liberation, blaum_roth, liber8tion };

/// The layout of a chunk of a packet code. A chunk consists of blocks of w packets. Each packet of a coding chunk is the XOR of
/// some packets of the data chunks.
struct PacketLayout {
  Shape shape;
  int w = 8;                     ///< packets in a block of a chunk
  int packet_size = 2048;        ///< bytes; w * packet_size fits in an int
  std::size_t padding_unit = 0;  ///< the size of a chunk is a multiple of this number, which is a multiple of block_size()

  int k() const { return shape.data_chunk_count; }
  int m() const { return shape.chunk_count - shape.data_chunk_count; }
  std::size_t block_size() const { return static_cast<std::size_t>(w) * static_cast<std::size_t>(packet_size); }
};

using MakePacketCode =
    std::function<std::unique_ptr<ErasureCode>(PacketMatrix matrix, const PacketLayout& layout, const Context& context)>;

/// One technique for each matrix, with Ceph's name. `make` is called only with valid layouts.
std::vector<Technique> packet_techniques(const MakePacketCode& make);

}  // namespace ecbench::jerasure
