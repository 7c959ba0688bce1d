// Writes files that are replaced as a whole.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// Writes the concatenated pieces to `path` and returns when they are on the disk. If this fails, or if the program is killed, the
/// old file stays unchanged. A symbolic link is followed. The new file gets the permissions of the old file and, if this is
/// permitted, its owner. On failure, throws an Error that names `option` and the path.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
