// Reads options whose value is a text, a path or one of a few fixed words.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// "a|b|c"
std::string either(const std::vector<std::string>& words);

std::string text_of(const boost::program_options::variables_map& values, const char* option, const std::string& default_value);

/// The default is the first of `allowed`. Throws Error for other values.
std::string choice_of(const boost::program_options::variables_map& values, const char* option,
                      const std::vector<std::string>& allowed);

/// "" if the option is not given. Throws Error for an empty path.
std::string path_of(const boost::program_options::variables_map& values, const char* option);

}  // namespace ecbench
