// Reads options whose value is a text or one of a few fixed words.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// Joins `words` with "|" between them: "a|b|c".
std::string either(const std::vector<std::string>& words);

std::string text_of(const boost::program_options::variables_map& values, const char* option, const std::string& default_value);

/// The value of an option. The default is the first element of `allowed`. Throws Error if the value is not in `allowed`.
std::string choice_of(const boost::program_options::variables_map& values, const char* option,
                      const std::vector<std::string>& allowed);

}  // namespace ecbench
