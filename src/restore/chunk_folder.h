// The files of a chunk directory. A chunk set consists of chunks, whose file names are their positions, and a manifest. While
// ecbench replaces an older set file by file, the chunk directory also has a subdirectory. It contains those files of the new set
// that ecbench has not moved yet.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

inline constexpr const char* manifest_name = "manifest.json";

/// The name of a subdirectory of the chunk directory. The subdirectory contains the files of a new set, which are moved to the
/// chunk directory one by one, the manifest last. As long as the subdirectory contains a manifest, its files are used instead of
/// files with the same names in the chunk directory.
inline constexpr const char* commit_name = ".ecbench-commit";

/// True if `name` is a number without leading zeros, such as "0", "1" or "10". False for names such as "01" and "1.bak".
bool is_chunk_name(const std::string& name);

/// True if this is the name of a chunk or of the manifest.
bool belongs_to_chunk_set(const std::string& name);

/// The path of the file `name` in the chunk set of the directory `folder`. The file does not need to exist.
std::filesystem::path file_of_set(const std::filesystem::path& folder, const std::string& name);

/// Removes the files of the chunk set in the directory `folder`. Then removes the directory if it is empty. Ignores errors.
void remove_chunk_set(const std::filesystem::path& folder);

}  // namespace ecbench
