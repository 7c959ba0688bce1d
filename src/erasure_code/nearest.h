// Finds the word that a user may have meant by one that does not exist.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// The word of `words` that is most like `word`, "" if none is near. Capital letters, - and _ make no difference; otherwise up to a
/// third of the letters may be missing, added or wrong, or `word` is a part, of at least five letters, of the other.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
