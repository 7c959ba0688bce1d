// Takes a command line apart: which options it gives, with which values. What is no option is refused with the right spelling.

#pragma once

#include <boost/program_options.hpp>
#include <set>
#include <string>
#include <vector>

namespace ecbench {

struct Arguments {
  boost::program_options::variables_map values;
  std::set<std::string> given;  ///< long names of the options
};

/// Throws Error for a word that belongs to no option, unless `ignores_unknown`, as Ceph's tool does.
Arguments parse_arguments(const std::vector<std::string>& words, const boost::program_options::options_description& options,
                          bool ignores_unknown);

}  // namespace ecbench
