// The options that say how a point is measured, not what it is of: sampling, cache state, threads.

#pragma once

#include <boost/program_options.hpp>

#include "benchmark/point/point.h"

namespace ecbench {

void describe_measuring_options(boost::program_options::options_description& options);

/// Sets what the options say in `point`. `as_ceph`: Ceph's tool measures one interval and times whole calls. Throws Error.
void take_measuring_options(const boost::program_options::variables_map& values, bool as_ceph, Point& point);

/// True if the command line has an option that only samples have.
bool asks_for_samples(const boost::program_options::variables_map& values);

}  // namespace ecbench
