// Parses a command line into options and their values. If an argument is not an option, the error suggests a correct spelling, or
// --help.

#pragma once

#include <boost/program_options.hpp>
#include <set>
#include <string>
#include <vector>

namespace ecbench {

struct Arguments {
  boost::program_options::variables_map values;
  std::set<std::string> given;  ///< long names of the given options
};

/// Throws Error if an option has no value but needs a value, or if an abbreviation can mean several options. Throws Error if an
/// argument is neither an option nor the value of an option. If `ignores_unknown` is set, ignores such arguments, as Ceph's tool
/// does, but still throws Error for k=... and m=...
Arguments parse_arguments(const std::vector<std::string>& words, const boost::program_options::options_description& options,
                          bool ignores_unknown);

}  // namespace ecbench
