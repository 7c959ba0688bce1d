#include "restore/chunk_folder.h"

#include <algorithm>
#include <cctype>

namespace ecbench {

bool belongs_to_chunk_set(const std::string& name) {
  if (name == manifest_name) return true;
  constexpr std::size_t most_digits = 9;  // every number with 9 digits fits in an int
  if (name.empty() || name.size() > most_digits || (name.front() == '0' && name.size() > 1)) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace ecbench
