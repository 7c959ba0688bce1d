// The files of a chunk folder: chunks named by position, a manifest, and, while a new set replaces an older one in place, a folder
// with what is still to be moved.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

inline constexpr const char* manifest_name = "manifest.json";

/// The folder within a chunk folder from which a new set is moved, file by file, its manifest last. As long as it has a manifest,
/// its files replace those of the same names in the chunk folder.
inline constexpr const char* commit_name = ".ecbench-commit";

/// "0", "1", "10"; not "01" or "1.bak".
bool is_chunk_name(const std::string& name);

/// A chunk's name or the manifest's.
bool belongs_to_chunk_set(const std::string& name);

/// Where the file `name` of the set in `folder` is, whether it exists or not.
std::filesystem::path file_of_set(const std::filesystem::path& folder, const std::string& name);

/// Removes the files of a chunk set in `folder`, and the folder if nothing else is in it. Ignores errors.
void remove_chunk_set(const std::filesystem::path& folder);

}  // namespace ecbench
