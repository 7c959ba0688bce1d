// The command line: Ceph's options with Ceph's spelling, and ours.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "benchmark/point/point.h"

namespace ecbench {

struct Options {
  bool help = false;
  bool version = false;
  bool list = false;
  bool show_reads = false;
  bool environment = false;
  bool strict = false;        ///< an unfit machine or a warning is an error
  bool plugin_given = false;  ///< whether the command line names the plugin
  bool verbose = false;
  bool as_ceph = false;                ///< called by the name of Ceph's tool, or with its format: its defaults and meanings hold
  std::vector<std::string> arguments;  ///< argv as it was given
  std::set<std::string> given;         ///< long names of the options that it holds, also if a parameter has its meaning
  std::string program;                 ///< argv[0]
  std::string plugin_directory;        ///< as given, or as $ECBENCH_PLUGIN_DIR says; "" for the one next to the program
  std::string describe_file;           ///< where the lines of --describe are; "-" for standard input, "" if it is not asked
  std::string format;
  std::string input_file;           ///< "" for pseudo-random bytes
  std::string chunks_directory;     ///< where the chunk files go; "" for nowhere
  std::string chunks_in_directory;  ///< where the chunk files are that --chunks-in decodes; "" if it is not asked
  std::string object_file;          ///< where it writes the object; "" for standard output
  std::string output_file;          ///< where the row is appended as a line of JSON; "" for nowhere
  std::string symbols_file;         ///< where the addresses of the code's kernels are written; "" for nowhere
  bool count_instructions = false;  ///< in addition to the figures
  bool serve_slices = false;        ///< time slices on demand
  int arena = -1;                   ///< the descriptor of the memory for that; -1: none is given
  std::string instructions_file;    ///< where they are written by address; "" for nowhere
  bool length_given = false;        ///< whether it says how long to measure: iterations, or anything of samples
  Point point;
  std::vector<std::string> warnings;
};

/// Reads the command line. Called as ceph_erasure_code_benchmark, or with --format ceph, the defaults are those of Ceph's newest
/// tool. Throws Error for what is not allowed whatever the code is; what depends on it is checked by check_erasures().
Options parse_options(const std::vector<std::string>& arguments);

/// Whether an option, by its long name, says what is measured or how: not what is printed, or where.
bool describes_a_point(const std::string& option);

/// Checks the erasures against the code's n chunks, at most `coding_chunk_count` may be lost. Throws Error.
void check_erasures(const Point& point, int chunk_count, int coding_chunk_count);

/// What --help prints.
std::string help_text(const std::string& program);

}  // namespace ecbench
