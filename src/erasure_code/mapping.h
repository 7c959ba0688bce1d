// The parameter `mapping` defines the positions of a code's chunks. It is a string of n characters, one for each position. The data
// chunks are at the positions whose character is D. The coding chunks are at the other positions. Data chunks and coding chunks are
// each in ascending order of their chunk numbers.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/parameter.h"
#include "erasure_code/profile.h"

namespace ecbench {

/// The entry for `mapping` in a technique's parameter table.
const Parameter& mapping_parameter();

/// Returns Shape::data_positions for a code with `chunk_count` chunks. The list is empty if the profile has no mapping. Throws
/// Error unless the mapping has exactly `chunk_count` characters, and exactly `data_chunk_count` characters are D.
std::vector<int> mapped_data_positions(const Profile& profile, int data_chunk_count, int chunk_count);

/// Returns the shape of a code with k data chunks and m coding chunks. The profile's mapping defines their positions. Throws the
/// same errors as mapped_data_positions().
Shape mapped_shape(const Profile& profile);

}  // namespace ecbench
