// Finds an existing word that a user may have meant.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Returns the word in `words` that is most similar to `word`; "" if no word is similar. The characters - and _ are ignored, and a
/// letter in upper case equals the letter in lower case. Two words are similar if at most a third of the letters are missing, added
/// or wrong. A word in `words` is also similar if `word` has at least five letters and is a part of this word.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
