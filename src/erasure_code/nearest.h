// Finds an existing word that a user may have meant.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Returns the word in `words` that is most similar to `word`, or "" if no word is similar. The characters - and _ and the case of
/// letters are ignored. Two words are similar if the number of missing, added and wrong letters is at most a third of the length
/// of the longer word. A word in `words` is also similar if it contains `word`, and `word` has at least five letters.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
