// Replaces a file as a whole, so that it never contains only a part of the new bytes.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// Writes the concatenated pieces to `path` and returns when they are on the disk. If this fails, or if the program is killed, the
/// old file stays unchanged. If `path` is a symbolic link, replaces the target of the link. The new file gets the permissions of
/// the old file. If the process has the right to change the owner, the new file also gets the owner of the old file. On failure,
/// throws Error; the message contains `option` and `path`.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
