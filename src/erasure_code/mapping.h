// The parameter `mapping`, which gives the positions of a code's chunks. It is a string of n characters with a D for each data
// chunk. The data chunks are at the positions with a D, in order. The coding chunks are at the other positions.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/parameter.h"
#include "erasure_code/profile.h"

namespace ecbench {

/// The entry for `mapping` in a technique's parameter table.
const Parameter& mapping_parameter();

/// The positions of the data chunks of a code with `chunk_count` chunks, for Shape::data_positions. The list is empty if the
/// profile has no mapping. Throws Error unless the mapping has chunk_count characters and exactly data_chunk_count of them are D.
std::vector<int> mapped_data_positions(const Profile& profile, int data_chunk_count, int chunk_count);

/// The layout of a code with k data and m coding chunks at the positions that the profile's mapping gives. Throws Error as
/// mapped_data_positions() does.
Shape mapped_shape(const Profile& profile);

}  // namespace ecbench
