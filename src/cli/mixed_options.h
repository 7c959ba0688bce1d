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
/// values that are not allowed, and for options that cannot be combined with --mixed. If --mixed is not given, throws Error for
/// options that need it.
std::optional<MixedSettings> take_mixed_options(const boost::program_options::variables_map& values,
                                                const std::set<std::string>& given);

}  // namespace ecbench
