#include "erasure_code/mapping.h"

namespace ecbench {

const Parameter& mapping_parameter() {
  static const Parameter parameter{
      .name = "mapping",
      .type = Parameter::Type::text,
      .default_value = "",
      .why = "",
      .meaning = "positions of the chunks: one character per position, D for a data chunk; if empty, the data chunks are first"};
  return parameter;
}

std::vector<int> mapped_data_positions(const Profile& profile, int data_chunk_count, int chunk_count) {
  const std::string mapping = profile.text("mapping");
  std::vector<int> positions;
  if (mapping.empty()) return positions;
  for (std::size_t i = 0; i < mapping.size(); i++) {
    if (mapping[i] == 'D') positions.push_back(static_cast<int>(i));
  }
  if (static_cast<int>(mapping.size()) != chunk_count || static_cast<int>(positions.size()) != data_chunk_count) {
    refuse(profile, "mapping", std::to_string(chunk_count) + " characters with " + std::to_string(data_chunk_count) + " D",
           "there is one character per chunk, and one D per data chunk");
  }
  return positions;
}

Shape mapped_shape(const Profile& profile) {
  const int k = profile.integer("k");
  const int n = k + profile.integer("m");
  return {.data_chunk_count = k, .chunk_count = n, .data_positions = mapped_data_positions(profile, k, n)};
}

}  // namespace ecbench
