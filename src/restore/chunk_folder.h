// The names of the files in a chunk directory: 0 to n-1 for the chunks, and manifest.json.

#pragma once

#include <string>

namespace ecbench {

inline constexpr const char* manifest_name = "manifest.json";

/// A number without leading zeros, such as "10", or the manifest.
bool belongs_to_chunk_set(const std::string& name);

}  // namespace ecbench
