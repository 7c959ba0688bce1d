// Parses the options of --mixed, which measures client operations while lost chunks are repaired.

#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <string>

#include "benchmark/mixed/mixed.h"

namespace ecbench {

void describe_mixed_options(boost::program_options::options_description& options);

/// Nothing without --mixed. `given`: names of the given options. Throws Error for a value that is not allowed, an option that does
/// not go with --mixed, or one that needs it.
std::optional<MixedSettings> take_mixed_options(const boost::program_options::variables_map& values,
                                                const std::set<std::string>& given);

}  // namespace ecbench
