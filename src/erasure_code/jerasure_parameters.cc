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
          .why = "one data chunk would only be copied, and " + chunk_limit_reason,
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
          .why = "the technique is made for two coding chunks",
          .meaning = "coding chunks"};
}

Parameter packet_size() {
  return {.name = "packetsize",
          .default_value = "2048",
          .minimum = 1,
          .why = "a packet has at least one byte",
          .meaning = "size of a packet in bytes; each XOR combines two packets, and a chunk is divided into blocks of w packets"};
}

Parameter per_chunk_alignment() {
  return {.name = "jerasure-per-chunk-alignment",
          .type = Parameter::Type::flag,
          .default_value = "false",
          .why = "",
          .meaning = "pad each chunk instead of the whole object; needs less padding"};
}

void check_chunk_count(const Profile& profile) {
  const int w = profile.integer("w");
  const int limit = w < 8 ? 1 << w : chunk_count_limit;
  if (profile.integer("k") + profile.integer("m") <= limit) return;
  refuse(profile, "k", "k+m of at most " + std::to_string(limit) + " with m=" + profile.text("m") + " and w=" + profile.text("w"),
         w < 8 ? "each chunk needs its own element of GF(2^w), which has only 2^w elements" : chunk_limit_reason);
}

}  // namespace ecbench::jerasure
