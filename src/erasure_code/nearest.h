// Finds an existing word that a user may have meant.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

/// The most similar word of `words`; "" if no word is similar. Upper and lower case, - and _ are ignored. Up to a third of the
/// letters may be missing, added or wrong; or one word is a part, of at least five letters, of the other.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
