// The files of a chunk directory: chunks named by position, and a manifest. While a new set replaces an older one in place, also a
// directory with files that are not yet moved.

#pragma once

#include <filesystem>
#include <string>

namespace ecbench {

inline constexpr const char* manifest_name = "manifest.json";

/// The subdirectory from which a new set is moved, file by file, with the manifest last. While it contains a manifest, its files
/// replace those with the same names in the chunk directory.
inline constexpr const char* commit_name = ".ecbench-commit";

/// "0", "1", "10"; not "01" or "1.bak".
bool is_chunk_name(const std::string& name);

/// Whether this is the name of a chunk or of the manifest.
bool belongs_to_chunk_set(const std::string& name);

/// The path of file `name` of the set in `folder`, whether the file exists or not.
std::filesystem::path file_of_set(const std::filesystem::path& folder, const std::string& name);

/// Removes the files of a chunk set in `folder`, and the directory if nothing else is in it. Ignores errors.
void remove_chunk_set(const std::filesystem::path& folder);

}  // namespace ecbench
