// Files that appear whole or not at all.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// Makes `path` a file of these pieces, one behind the other, under another name first: whoever reads it sees what was there before
/// or all of it, and no end of the program, but a kill, leaves a half behind. A link is followed. Throws Error that names `option`
/// and the path.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
