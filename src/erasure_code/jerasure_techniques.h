// Parameters, padding and packet techniques that the codes of plugin jerasure and of plugin simd have in common.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"
#include "erasure_code/profile.h"

namespace ecbench::jerasure {

Parameter data_chunks(const std::string& default_value);
Parameter coding_chunks(const std::string& default_value);
/// The parameter m of techniques whose only allowed value is m=2.
Parameter two_coding_chunks();
Parameter packet_size();
Parameter per_chunk_alignment();

/// Refuses the profile if k+m is more than 256 (the limit of ecbench) or more than 2^w (the number of elements of the field).
void check_chunk_count(const Profile& profile);

/// Chunk sizes are multiples of this number of bytes if jerasure-per-chunk-alignment is false, as in Ceph (ErasureCodeJerasure.cc).
/// word_size: w for a matrix code, w * packetsize for a packet code.
std::size_t object_padding_unit(std::size_t word_size);

/// Throws Error if chunk_size is not a multiple of `granule`, the bytes of a block.
void check_granule(std::size_t chunk_size, std::size_t granule);

/// Bit matrices of the packet codes. cauchy_orig and cauchy_good are Cauchy Reed-Solomon codes. The other three are RAID-6 codes
/// that need few XORs. Sources:
/// cauchy_orig: Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995.
/// cauchy_good: Plank and Xu, "Optimizing Cauchy Reed-Solomon Codes for Fault-Tolerant Network Storage Applications", 2006.
/// liberation: Plank, "The RAID-6 Liberation Codes", 2008.
/// blaum_roth: Blaum and Roth, "On Lowest Density MDS Codes", 1999.
/// liber8tion: Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008.
enum class PacketMatrix { cauchy_orig, cauchy_good, liberation, blaum_roth, liber8tion };

/// A chunk consists of blocks of w packets. Each packet of a coding chunk is the XOR of some packets of the data chunks.
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

/// One for each PacketMatrix, with the name in Ceph. `make` is called only with valid layouts.
std::vector<Technique> packet_techniques(const MakePacketCode& make);

}  // namespace ecbench::jerasure
