#include "erasure_code/jerasure_techniques.h"

#include <climits>
#include <string>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"

namespace ecbench::jerasure {
namespace {

const std::string chunk_limit_reason = "this code supports at most " + std::to_string(chunk_count_limit) + " chunks";

constexpr std::size_t chunk_alignment_of_ceph = 16;
// The largest k*w. libJerasure's decoding matrix has k*w rows and k*w columns, and 8192 * 8192 ints are 256 MiB.
constexpr int decoding_row_limit = 8192;
// The largest prime number that Ceph allows for w with liberation, and for w+1 with blaum_roth.
constexpr int largest_prime = 257;
// w=7 is allowed although w+1 is not prime. It is Ceph's default, and data that was stored with w=7 must stay readable.
constexpr int tolerated_blaum_roth_w = 7;

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

/// Refuses the profile if libJerasure's decoding matrix of (k*w)^2 numbers would take more than 256 MiB.
void check_decoding_matrix_size(const Profile& profile) {
  if (profile.integer("k") * profile.integer("w") <= decoding_row_limit) return;
  refuse(profile, "w", "k and w with k*w <= " + std::to_string(decoding_row_limit),
         "with a larger k*w, libJerasure's decoding matrix of (k*w)^2 numbers takes more than 256 MiB");
}

/// Refuses the profile if w * packetsize does not fit in an int, because libJerasure stores this number in an int.
void check_block_size(const Profile& profile) {
  const int limit = INT_MAX / profile.integer("w");
  if (profile.integer("packetsize") <= limit) return;
  refuse(profile, "packetsize", "at most " + std::to_string(limit),
         "libJerasure stores the size of a block, w*packetsize bytes, in an int (w is " + profile.text("w") + ")");
}

PacketLayout unpadded_layout(const Profile& profile) {
  check_chunk_count(profile);
  check_decoding_matrix_size(profile);
  check_block_size(profile);
  return {.shape = mapped_shape(profile), .w = profile.integer("w"), .packet_size = profile.integer("packetsize")};
}

PacketLayout cauchy_layout(const Profile& profile) {
  PacketLayout layout = unpadded_layout(profile);
  const std::size_t unit = layout.block_size();
  layout.padding_unit = unit;
  if (!profile.flag("jerasure-per-chunk-alignment")) {
    layout.padding_unit = object_padding_unit(unit);
  } else if (unit % chunk_alignment_of_ceph != 0) {
    refuse(profile, "jerasure-per-chunk-alignment", "false, or values of w and packetsize whose product is a multiple of 16",
           "otherwise, Ceph pads a chunk to a size that is not a multiple of w*packetsize (" + std::to_string(unit) +
               "), and then accesses memory after the end of the chunk");
  }
  return layout;
}

PacketLayout raid6_layout(const Profile& profile) {
  if (profile.integer("k") > profile.integer("w")) {
    refuse(profile, "k", "at most " + profile.text("w"), "the code is defined only for k <= w, and w is " + profile.text("w"));
  }
  PacketLayout layout = unpadded_layout(profile);
  layout.padding_unit = object_padding_unit(layout.block_size());
  return layout;
}

Parameter field_bits() {
  return number_parameter("w", "8", 2, 32, "each chunk needs its own field element, and libJerasure has fields up to GF(2^32)",
                          "packets per block, and bits per field element; k+m is at most 2^w");
}

Parameter word_size(const std::string& default_value, long minimum, long maximum, const std::string& why,
                    const std::string& meaning) {
  return number_parameter("w", default_value, minimum, maximum, why, "packets per block; " + meaning);
}

Parameter whole_word_packet_size() {
  Parameter parameter = packet_size();
  parameter.minimum = 4;
  parameter.why = "a packet consists of whole words of four bytes";
  parameter.meaning += "; a multiple of 4";
  return parameter;
}

void check_whole_words(const Profile& profile) {
  if (profile.integer("packetsize") % 4 != 0) refuse(profile, "packetsize", "a multiple of 4", whole_word_packet_size().why);
}

PacketLayout liberation_layout(const Profile& profile) {
  if (!is_prime(profile.integer("w"))) {
    refuse(profile, "w", "a prime from 3 to " + std::to_string(largest_prime),
           "the code can recover any two lost chunks only if w is a prime");
  }
  check_whole_words(profile);
  return raid6_layout(profile);
}

PacketLayout blaum_roth_layout(const Profile& profile) {
  const int w = profile.integer("w");
  if (!is_prime(w + 1) && w != tolerated_blaum_roth_w) {
    refuse(profile, "w", "7, or p-1 for a prime p from 5 to " + std::to_string(largest_prime),
           "the code can recover any two lost chunks only if w+1 is a prime (w=7, Ceph's default, cannot recover some pairs)");
  }
  check_whole_words(profile);
  return raid6_layout(profile);
}

using MakeLayout = PacketLayout (*)(const Profile& profile);

Technique technique(const std::string& name, const std::string& summary, std::vector<Parameter> parameters, MakeLayout layout,
                    PacketMatrix matrix, const MakePacketCode& make) {
  return {.name = name,
          .summary = summary,
          .parameters = std::move(parameters),
          .make = [=](const Profile& profile, const Context& context) { return make(matrix, layout(profile), context); }};
}

}  // namespace

Parameter data_chunks(const std::string& default_value) {
  return number_parameter("k", default_value, 2, chunk_count_limit - 1, "Ceph does not allow k=1, and " + chunk_limit_reason,
                          "data chunks");
}

Parameter coding_chunks(const std::string& default_value) {
  return number_parameter("m", default_value, 1, chunk_count_limit - 2,
                          "without coding chunks, no lost chunk can be rebuilt, and " + chunk_limit_reason, "coding chunks");
}

Parameter two_coding_chunks() {
  return number_parameter("m", "2", 2, 2, "the technique is defined only for two coding chunks", "coding chunks");
}

Parameter packet_size() {
  return number_parameter(
      "packetsize", "2048", 1, std::numeric_limits<int>::max(), "a packet has at least one byte",
      "size of a packet in bytes; each XOR combines two packets, and each chunk consists of blocks of w packets");
}

Parameter per_chunk_alignment() {
  return {.name = "jerasure-per-chunk-alignment",
          .type = Parameter::Type::flag,
          .default_value = "false",
          .meaning =
              "if true, each chunk is padded instead of the whole object. With cauchy_orig and cauchy_good, the padding is then "
              "often smaller"};
}

void check_chunk_count(const Profile& profile) {
  const int w = profile.integer("w");
  const int limit = w < 8 ? 1 << w : chunk_count_limit;
  if (profile.integer("k") + profile.integer("m") <= limit) return;
  refuse(profile, "k",
         "k and m with k+m <= " + std::to_string(limit) + " (m is " + profile.text("m") + ", w is " + profile.text("w") + ")",
         w < 8 ? "each chunk needs its own element of GF(2^w), which has only 2^w elements" : chunk_limit_reason);
}

constexpr std::size_t int_size = 4;
constexpr std::size_t largest_vector_size = 16;

std::size_t object_padding_unit(std::size_t word_size) {
  const bool keeps_vectors_whole = word_size * int_size % largest_vector_size == 0;
  return word_size * (keeps_vectors_whole ? int_size : largest_vector_size);
}

void check_granule(std::size_t chunk_size, std::size_t granule) {
  if (chunk_size % granule == 0) return;
  throw Error("chunks of " + std::to_string(chunk_size) + " bytes cannot be encoded or decoded: their size must be a multiple of " +
              std::to_string(granule) + ", the block size of this code");
}

std::vector<Technique> packet_techniques(const MakePacketCode& make) {
  const std::vector<Parameter> cauchy{data_chunks("7"), coding_chunks("3"),    field_bits(),
                                      packet_size(),    per_chunk_alignment(), mapping_parameter()};
  const auto raid6 = [](const Parameter& w, const Parameter& packets) {
    return std::vector<Parameter>{data_chunks("2"), two_coding_chunks(), w, packets, mapping_parameter()};
  };
  return {technique("cauchy_orig", "Cauchy Reed-Solomon, computed by XORs, for any m", cauchy, cauchy_layout,
                    PacketMatrix::cauchy_orig, make),
          technique("cauchy_good", "Cauchy Reed-Solomon, computed by XORs, for any m. It needs fewer XORs than cauchy_orig", cauchy,
                    cauchy_layout, PacketMatrix::cauchy_good, make),
          technique("liberation", "RAID-6, computed by XORs, for m=2. w is a prime and at least k",
                    raid6(word_size("7", 3, largest_prime, "Ceph allows only primes from 3 to 257", "a prime, at least k"),
                          whole_word_packet_size()),
                    liberation_layout, PacketMatrix::liberation, make),
          technique("blaum_roth",
                    "RAID-6, computed by XORs, for m=2. w+1 is a prime, and w is at least k. With the default w=7 and k > 2, the "
                    "code cannot recover some pairs of chunks",
                    raid6(word_size("7", 4, largest_prime - 1, "Ceph allows only w=7, and w for which w+1 is a prime from 5 to 257",
                                    "w+1 is a prime, or w=7; w is at least k"),
                          whole_word_packet_size()),
                    blaum_roth_layout, PacketMatrix::blaum_roth, make),
          technique("liber8tion", "RAID-6, computed by XORs, for m=2, w=8 and k up to 8",
                    raid6(word_size("8", 8, 8, "the code is defined only for w=8", "always 8"), packet_size()), raid6_layout,
                    PacketMatrix::liber8tion, make)};
}

}  // namespace ecbench::jerasure
