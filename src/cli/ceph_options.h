// Handles the differences between the command lines of Ceph's tool and of ecbench, and reads $CEPH_ARGS as Ceph's tool does.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// By the program's name, or --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// With the full names of abbreviated options (Ceph's tool has fewer options, so it accepts shorter ones) and only the last plugin
/// directory (--erasure-code-dir or --erasure_code_dir). Ceph's other configuration options stay; parse_arguments() ignores them.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// "" if it is not given. All other options in $CEPH_ARGS are ignored.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
