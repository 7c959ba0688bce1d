// The files of a chunk directory: chunks named by position, and a manifest. While a new set replaces an older set in place, there
// is also a subdirectory with the files that have not been moved yet.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

inline constexpr const char* manifest_name = "manifest.json";

/// The name of the subdirectory from which the files of a new set are moved to the chunk directory, one by one, the manifest last.
/// While this subdirectory contains a manifest, its files are used instead of files with the same names in the chunk directory.
inline constexpr const char* commit_name = ".ecbench-commit";

/// True for "0", "1" and "10", but not for "01" or "1.bak".
bool is_chunk_name(const std::string& name);

/// True if this is the name of a chunk or of the manifest.
bool belongs_to_chunk_set(const std::string& name);

/// The path of file `name` of the set in `folder`, whether the file exists or not.
std::filesystem::path file_of_set(const std::filesystem::path& folder, const std::string& name);

/// Removes the files of a chunk set in `folder`, and then the directory if it is empty. Ignores errors.
void remove_chunk_set(const std::filesystem::path& folder);

}  // namespace ecbench
