// Handles the differences between the command lines of Ceph's tool and of ecbench, and reads $CEPH_ARGS as Ceph's tool does.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// True if the program must behave like Ceph's tool: the program has the name of Ceph's tool, or --format ceph is given.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// Returns a copy of `words` in which abbreviated options of Ceph's tool have their full names. Ceph's tool accepts shorter
/// abbreviations than ecbench, because ecbench has more options. If the plugin directory is given several times (--erasure-code-dir
/// or --erasure_code_dir), the copy contains only the last directory. The copy also contains all other configuration options of
/// Ceph; parse_arguments() ignores these options.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// The value of --erasure-code-dir in $CEPH_ARGS; "" if $CEPH_ARGS does not contain this option. ecbench ignores all other options
/// in $CEPH_ARGS.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
