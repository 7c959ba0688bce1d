// Parses the options of --mixed, which measures client operations while lost chunks are repaired.

#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <string>

#include "benchmark/mixed/mixed.h"

namespace ecbench {

void describe_mixed_options(boost::program_options::options_description& options);

/// Returns the settings of the mixed measurement, or no value if --mixed is not given. `given` contains the names of the given
/// options. Throws Error if a value is not allowed, or if an option cannot be combined with --mixed. Also throws Error if an option
/// needs --mixed, but --mixed is not given.
std::optional<MixedSettings> take_mixed_options(const boost::program_options::variables_map& values,
                                                const std::set<std::string>& given);

}  // namespace ecbench
