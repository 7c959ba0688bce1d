// The options that say how a point is measured (sampling, cache state, threads), not what is measured.

#pragma once

#include <boost/program_options.hpp>

#include "benchmark/point/point.h"

namespace ecbench {

void describe_measuring_options(boost::program_options::options_description& options);

/// Stores the values of the options in `point`. `as_ceph`: one interval and whole calls are timed, as by Ceph's tool. Throws Error.
void take_measuring_options(const boost::program_options::variables_map& values, bool as_ceph, Point& point);

/// Whether the command line has an option that applies only to samples.
bool asks_for_samples(const boost::program_options::variables_map& values);

}  // namespace ecbench
