// Reading options: their text, and those that are one of a few words.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// "a|b|c".
std::string either(const std::vector<std::string>& words);

std::string text_of(const boost::program_options::variables_map& values, const char* option, const std::string& default_value);

/// The value of an option that is one of `allowed`; the first is its default. Throws Error.
std::string choice_of(const boost::program_options::variables_map& values, const char* option,
                      const std::vector<std::string>& allowed);

}  // namespace ecbench
