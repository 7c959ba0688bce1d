// How a point is measured (--min-time, --cache, --threads, ...). options.cc has what is measured (--plugin, --workload, ...).

#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/point/point.h"

namespace ecbench {

inline constexpr std::uint64_t most_threads = 1024;

/// Above 0, at most `maximum`. Throws Error with `option`.
double parse_positive(const std::string& option, const std::string& text, double maximum);

/// "1", "0,2" or "0-3,8". Throws Error with `option`.
std::vector<int> parse_cpus(const std::string& option, const std::string& text);

void describe_measuring_options(boost::program_options::options_description& options);

/// `as_ceph`: one interval instead of samples, and --timing api by default. Throws Error for values that are not allowed.
void take_measuring_options(const boost::program_options::variables_map& values, bool as_ceph, Point& point);

/// An option that applies only to samples.
bool asks_for_samples(const boost::program_options::variables_map& values);

}  // namespace ecbench
