// The options of the command line: those of Ceph's tool, with the same spelling, and those of ecbench.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benchmark/mixed/mixed.h"
#include "benchmark/point/point.h"

namespace ecbench {

struct Options {
  bool help = false;
  bool version = false;
  bool list = false;
  bool show_reads = false;
  bool environment = false;
  bool strict = false;        ///< an unfit machine or a warning is an error
  bool plugin_given = false;  ///< true if the command line names the plugin
  bool verbose = false;
  bool as_ceph = false;  ///< uses the defaults and meanings of Ceph's tool, because of the program's name or the format
  std::vector<std::string> arguments;  ///< argv, unchanged
  std::set<std::string> given;         ///< long names of given options; stripe-unit, erasure-code-dir also if set by --parameter
  std::string program;                 ///< argv[0]
  std::string plugin_directory;        ///< "": no option, parameter or variable sets it; see Registry::default_directory()
  std::string describe_file;           ///< the file with the lines of --describe; "-" for standard input, "" without the option
  std::string format;
  std::string input_file;           ///< "": pseudo-random bytes, or those of --fill
  std::string chunks_directory;     ///< where chunk files are written; "" for nowhere
  std::string chunks_in_directory;  ///< directory of the chunk files that --chunks-in decodes; "" without the option
  std::string object_file;          ///< where --chunks-in writes the object; "" for standard output
  std::string output_file;          ///< run file to which the row is appended; "" for none
  std::string symbols_file;         ///< where the addresses of the code's kernels are written; "" for nowhere
  bool count_instructions = false;  ///< count instructions, in addition to the figures
  bool serve_slices = false;        ///< measure slices on request (--serve-slices)
  int arena = -1;                   ///< the descriptor of the memory for slices; -1: not given
  std::string instructions_file;    ///< where instruction counts by address are written; "" for nowhere
  bool length_given = false;        ///< true with --iterations, with any option that applies only to samples, or if as_ceph is true
  /// The settings of --mixed; absent without --mixed.
  std::optional<MixedSettings> mixed;
  Point point;
  std::vector<std::string> warnings;
};

/// Parses the command line. If the program is called as ceph_erasure_code_benchmark, or with --format ceph, the defaults are those
/// of the newest version of Ceph's tool. Throws Error for values that are wrong for every code. Values that depend on the code are
/// checked when the code is known: see check_erasures() and check_overwrite().
Options parse_options(const std::vector<std::string>& arguments);

/// True if the option with this long name describes a point. False for options such as --output, --input and --erasure-code-dir.
bool describes_a_point(const std::string& option);

/// Throws Error if a position in point.erased is not below `chunk_count`, or if more than `coding_chunk_count` chunks are lost.
void check_erasures(const Point& point, int chunk_count, int coding_chunk_count);

/// The long names of all options, as --help lists them.
std::vector<std::string> option_names();

/// The text that --help prints.
std::string help_text(const std::string& program);

}  // namespace ecbench
