#include "erasure_code/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ecbench {
namespace {

std::string letters_of(const std::string& word) {
  std::string letters;
  for (const unsigned char c : word) {
    if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

/// The Levenshtein distance: the smallest number of inserted, removed and replaced letters that change `from` into `to`.
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); j++) {
      const std::size_t replaced = diagonal + (letter == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  // A word with more letters than this limit is not compared: no name has so many letters, and the time of a comparison grows with
  // the square of the length.
  constexpr std::size_t longest = 64;
  constexpr std::size_t fewest_of_a_part = 5;
  const std::string letters = letters_of(word);
  if (letters.empty() || letters.size() > longest) return "";
  std::string best;
  std::size_t best_distance = longest;
  for (const std::string& candidate : words) {
    const std::string others = letters_of(candidate);
    const bool is_part = letters.size() >= fewest_of_a_part && others.find(letters) != std::string::npos;
    const std::size_t allowed = std::max(letters.size(), others.size()) / 3;
    const std::size_t found = distance(letters, others);
    if ((found <= allowed || is_part) && found < best_distance) {
      best = candidate;
      best_distance = found;
    }
  }
  return best;
}

}  // namespace ecbench
