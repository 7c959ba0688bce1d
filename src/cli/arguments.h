// Parses a command line: options and their values, sizes, counts and choices, and what Ceph's tool allows.

#pragma once

#include <boost/program_options.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace ecbench {

namespace po = boost::program_options;

struct Arguments {
  po::variables_map values;
  std::set<std::string> given;  ///< long names of the given options

  bool has(const std::string& option) const { return values.count(option) != 0; }
  std::string text(const std::string& option, const std::string& default_value = "") const;
  /// For an option that can be repeated.
  std::vector<std::string> texts(const std::string& option) const;
  /// The default is the first of `allowed`. Throws Error for other values.
  std::string choice(const std::string& option, const std::vector<std::string>& allowed) const;
  /// "" if the option is not given. Throws Error for an empty path.
  std::string path(const std::string& option) const;
};

/// The allowed words of a command line.
struct Grammar {
  const po::options_description& all;  ///< the options of all commands, which abbreviations and suggestions take into account
  const po::options_description& own;  ///< those of the command
  /// The words after "--OPTION is not allowed", for an option that is not an own one.
  std::function<std::string(const std::string& option)> why_not;
  bool ignores_unknown = false;  ///< as Ceph's tool, ignores unknown options and other words, except k=... and m=...
};

/// Throws Error for an option without its value, an abbreviation of several options, and a word that is neither an option nor a
/// value. The error suggests a correct spelling, or --help.
Arguments parse_arguments(const std::vector<std::string>& words, const Grammar& grammar);

/// The long name of the option that `name` is or abbreviates; "" if there is none, or if there are several.
std::string option_named(const std::string& name, const po::options_description& options);

/// "4096", "4K", "4k", "4KiB", "1M" or "2G" (powers of 1024, in upper or lower case) as bytes. Throws Error with `option`, also for
/// zero and sizes above 64 bits.
std::size_t parse_size(const std::string& option, const std::string& text);

/// `minimum` to `maximum`. Throws Error with `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum,
                          std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max());

/// Above 0, at most `maximum`. Throws Error with `option`.
double parse_positive(const std::string& option, const std::string& text, double maximum);

/// "1", "0,2" or "0-3,8". Throws Error with `option`.
std::vector<int> parse_cpus(const std::string& option, const std::string& text);

bool has_name_of_ceph_tool(const std::string& program);

/// By the program's name, or --format ceph.
bool is_ceph_command(const std::string& program, const std::vector<std::string>& words);

/// With the full names of abbreviated options (Ceph's tool has fewer options, so it accepts shorter ones) and only the last plugin
/// directory (--erasure-code-dir or --erasure_code_dir). Ceph's other configuration options stay; parse_arguments() ignores them.
/// `all`: options that are no abbreviations.
std::vector<std::string> ceph_words(const std::vector<std::string>& words, const po::options_description& all);

/// "" if it is not given. All other options in $CEPH_ARGS are ignored.
std::string plugin_directory_of_ceph_args();

}  // namespace ecbench
