// Reads the command line and the environment as Ceph's tool does, where Ceph's tool differs from ecbench.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// True if the program must behave as Ceph's tool, because of the program's name or because of --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// Replaces abbreviated options of Ceph's tool by their full names. Ceph's tool accepts shorter abbreviations than ecbench, because
/// it has fewer options. Only the last --erasure-code-dir is kept, in any spelling. Options of Ceph's configuration are kept too;
/// the parser ignores them.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// The plugin directory that $CEPH_ARGS gives; "" if it gives none. ecbench ignores the rest of this variable.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
