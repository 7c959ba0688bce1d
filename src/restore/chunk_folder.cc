#include "restore/chunk_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace ecbench {

namespace fs = std::filesystem;

bool is_chunk_name(const std::string& name) {
  constexpr std::size_t most_digits = 9;  // every number with 9 digits fits in an int
  if (name.empty() || name.size() > most_digits || (name.front() == '0' && name.size() > 1)) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool belongs_to_chunk_set(const std::string& name) {
  return is_chunk_name(name) || name == manifest_name;
}

fs::path file_of_set(const fs::path& folder, const std::string& name) {
  const fs::path commit = folder / commit_name;
  std::error_code ignored;
  if (fs::exists(commit / manifest_name, ignored) && fs::exists(commit / name, ignored)) return commit / name;
  return folder / name;
}

void remove_chunk_set(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (belongs_to_chunk_set(entry->path().filename().string())) files.push_back(entry->path());
  }
  for (const fs::path& file : files) unlink(file.c_str());
  rmdir(folder.c_str());
}

}  // namespace ecbench
