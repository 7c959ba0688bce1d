// The options of --mixed: client operations and repairs at the same time.

#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <string>

#include "benchmark/mixed/mixed.h"

namespace ecbench {

void describe_mixed_options(boost::program_options::options_description& options);

/// The settings of --mixed; absent if --mixed is not given. `given` contains the names of the given options. Throws Error for
/// values that are not allowed, for options that cannot be combined with --mixed, and for options that need --mixed if it is not
/// given.
std::optional<MixedSettings> take_mixed_options(const boost::program_options::variables_map& values,
                                                const std::set<std::string>& given);

}  // namespace ecbench
