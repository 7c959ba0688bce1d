// Parses a command line into options and values. For a word that is not an option, the error suggests the right spelling.

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

/// Throws Error for a word that belongs to no option, unless `ignores_unknown` is set, which is how Ceph's tool behaves.
Arguments parse_arguments(const std::vector<std::string>& words, const boost::program_options::options_description& options,
                          bool ignores_unknown);

}  // namespace ecbench
