// What Ceph's tool makes of a command line and of the environment where it differs from ours.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ecbench {

/// Whether a program is to behave as Ceph's tool: by its name, or asked for by --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// The words with abbreviations of the options of Ceph's tool written out, which are shorter than ours since it has fewer, and with
/// one --erasure-code-dir, the last, however it is spelled. Options of Ceph's configuration are left in, for the parser to ignore.
std::vector<std::string> ceph_words(const std::vector<std::string>& words,
                                    const boost::program_options::options_description& options);

/// The directory of plugins that $CEPH_ARGS names, "" if it names none. Nothing else of what it may hold concerns this program.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
