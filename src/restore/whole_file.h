// Files that are replaced as a whole.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// Writes the concatenated pieces to `path` and returns when they are on the disk. If that fails, or the program is killed, the old
/// file stays as it was. A symbolic link is followed; owner and permissions of an old file are kept, the owner if it is allowed.
/// Throws Error that names `option` and the path.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
