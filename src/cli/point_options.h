// The options that describe a point: what is measured (--plugin, --workload, ...), and how (--min-time, ...). Some other commands
// have a part of them.

#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "benchmark/point/point.h"
#include "cli/arguments.h"

namespace ecbench {

inline constexpr std::uint64_t most_threads = 1024;

/// Options of commands that load plugins.
struct PluginOptions {
  std::string directory;          ///< "" if not set; then Registry::default_directory() chooses the directory
  std::string missing_directory;  ///< the given one, if it does not exist; only as Ceph's tool
  std::string codec_lib;          ///< directory of codec libraries; "": the system's
  bool as_ceph = false;           ///< unknown parameters are ignored, as by Ceph's plugins
};

struct PointOptions {
  Point point;
  PluginOptions plugins;
  bool plugin_given = false;    ///< true if the command line names the plugin
  bool as_ceph = false;         ///< defaults and meanings of Ceph's tool, by the program's name or --format ceph
  bool length_given = false;    ///< true if as_ceph is true, or if --iterations or an option for samples is given
  std::string input_file;       ///< file with the bytes of the object; "" if they are pseudo-random or set by --fill
  std::set<std::string> given;  ///< long names of the given options, also if given as -P stripe_unit=
  std::vector<std::string> warnings;
};

/// Those with these long names; without names, all. An empty description: only the name is in --help. If `as_ceph` is set, --erased
/// takes one chunk, as in Ceph's tool; otherwise it takes a list of chunks.
void add_point_options(po::options_description& options, bool as_ceph, std::initializer_list<const char*> names = {});

/// --erasure-code-dir
void add_plugin_directory(po::options_description& options);

PluginOptions take_plugin_options(const Arguments& arguments, bool as_ceph);

/// Throws Error for values that no code allows. Some values are allowed only for some codes: check_erasures() and check_overwrite()
/// check these values when the code is known. `as_ceph`: with the defaults of the newest version of Ceph's tool.
PointOptions take_point_options(const Arguments& arguments, bool as_ceph);

/// Of take_point_options(): --iterations, --min-time, --cache, --threads, ...
void add_measuring_options(po::options_description& options);
/// `as_ceph`: one interval instead of samples, and --timing api by default. Throws Error for values that are not allowed.
void take_measuring_options(const Arguments& arguments, bool as_ceph, Point& point);
/// An option that applies only to samples.
bool asks_for_samples(const Arguments& arguments);

/// Throws Error if an option for lost chunks is given and the workload has no lost chunks, or not the given ones. Does nothing
/// about the former as Ceph's tool, which ignores these options.
void check_losses(const PointOptions& options);

}  // namespace ecbench
