// Parses a command line into options and values. For an argument that is not an option, the error suggests a spelling that is
// allowed, or --help.

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

/// Throws Error for an argument that is neither an option nor the value of an option. If `ignores_unknown` is set, ignores such
/// arguments, as Ceph's tool does, except k=... and m=... Also throws Error if an option lacks its value, or if an abbreviation can
/// mean several options.
Arguments parse_arguments(const std::vector<std::string>& words, const boost::program_options::options_description& options,
                          bool ignores_unknown);

}  // namespace ecbench
