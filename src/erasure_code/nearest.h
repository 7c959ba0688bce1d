// Finds an existing word that a user may have meant.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// Returns the word in `words` that is most similar to `word`; "" if no word is similar. Upper and lower case, - and _ are ignored.
/// Words are similar if at most a third of the letters are missing, added or wrong. They are also similar if `word` has at least
/// five letters and is a part of the other word.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
