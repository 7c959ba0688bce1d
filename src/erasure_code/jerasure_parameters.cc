#include "erasure_code/jerasure_parameters.h"

#include "erasure_code/chunk_pointers.h"

namespace ecbench::jerasure {
namespace {

const std::string chunk_limit_reason = "this code supports at most " + std::to_string(chunk_count_limit) + " chunks";

}  // namespace

Parameter data_chunks(const std::string& default_value) {
  return {.name = "k",
          .default_value = default_value,
          .minimum = 2,
          .maximum = chunk_count_limit - 1,
          .why = "Ceph does not allow k=1, and " + chunk_limit_reason,
          .meaning = "data chunks"};
}

Parameter coding_chunks(const std::string& default_value) {
  return {.name = "m",
          .default_value = default_value,
          .minimum = 1,
          .maximum = chunk_count_limit - 2,
          .why = "without coding chunks, no lost chunk can be rebuilt, and " + chunk_limit_reason,
          .meaning = "coding chunks"};
}

Parameter two_coding_chunks() {
  return {.name = "m",
          .default_value = "2",
          .minimum = 2,
          .maximum = 2,
          .why = "the technique is defined only for two coding chunks",
          .meaning = "coding chunks"};
}

Parameter packet_size() {
  return {.name = "packetsize",
          .default_value = "2048",
          .minimum = 1,
          .why = "a packet has at least one byte",
          .meaning = "size of a packet in bytes; each XOR combines two packets, and each chunk consists of blocks of w packets"};
}

Parameter per_chunk_alignment() {
  return {.name = "jerasure-per-chunk-alignment",
          .type = Parameter::Type::flag,
          .default_value = "false",
          .why = "",
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

}  // namespace ecbench::jerasure
