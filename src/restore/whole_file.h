// Replaces a file as a whole, so that it never contains only a part of the new bytes.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// Returns when the bytes are on the disk. On failure, or if the program is killed, the old file stays. Replaces the target of a
/// symbolic link; keeps permissions, and the owner if allowed. Throws Error with `option` and `path`.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
