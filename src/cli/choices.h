// Reads options whose value is text or one of a few words.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// "a|b|c".
std::string either(const std::vector<std::string>& words);

std::string text_of(const boost::program_options::variables_map& values, const char* option, const std::string& default_value);

/// The value of an option, which must be one of `allowed`; the first of these is the default. Throws Error.
std::string choice_of(const boost::program_options::variables_map& values, const char* option,
                      const std::vector<std::string>& allowed);

}  // namespace ecbench
