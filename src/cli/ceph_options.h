// Reads the command line and the environment as Ceph's tool does where it differs from ecbench.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// Whether the program must behave as Ceph's tool: because of its name, or because of --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// Writes out abbreviations of the options of Ceph's tool, which may be shorter than ours since it has fewer options, and keeps
/// only the last --erasure-code-dir, in any spelling. Options of Ceph's configuration stay; the parser ignores them.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// The directory of plugins in $CEPH_ARGS; "" if it has none. This program ignores the rest of that variable.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
