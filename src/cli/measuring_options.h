// Parses the options that determine how a point is measured, such as --min-time, --cache and --threads. options.cc parses the
// options that determine what is measured, such as --plugin and --workload.

#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/point/point.h"

namespace ecbench {

inline constexpr std::uint64_t most_threads = 1024;

/// Parses a number that is greater than 0 and at most `maximum`. For any other text, throws Error with the name `option`.
double parse_positive(const std::string& option, const std::string& text, double maximum);

/// Parses a whole number from 1 to `maximum`. For any other text, throws Error with the name `option`.
std::uint64_t parse_count_up_to(const std::string& option, const std::string& text, std::uint64_t maximum);

/// Parses a list of CPUs in Linux's notation, such as "1", "0,2" or "0-3,8". For any other text, throws Error with the name
/// `option`.
std::vector<int> parse_cpus(const std::string& option, const std::string& text);

void describe_measuring_options(boost::program_options::options_description& options);

/// Stores the values of the measuring options in `point`. If `as_ceph` is set, one interval is timed instead of samples, and the
/// default of --timing is api, as in Ceph's tool. Throws Error for a value that is not allowed.
void take_measuring_options(const boost::program_options::variables_map& values, bool as_ceph, Point& point);

/// True if the command line has an option that applies only to samples.
bool asks_for_samples(const boost::program_options::variables_map& values);

}  // namespace ecbench
