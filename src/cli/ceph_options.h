// Handles the differences between the command lines of Ceph's tool and of ecbench, and reads $CEPH_ARGS as Ceph's tool does.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// True if the program must behave as Ceph's tool, because of the program's name or because of --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// Replaces abbreviated options of Ceph's tool by their full names. Ceph's tool accepts shorter abbreviations than ecbench, because
/// ecbench has more options. If --erasure-code-dir is given several times, with - or _ in its name, only the last one is kept. The
/// other configuration options of Ceph stay in the result; parse_arguments() ignores them.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// The plugin directory that $CEPH_ARGS gives; "" if it gives none. ecbench ignores the rest of this variable.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
