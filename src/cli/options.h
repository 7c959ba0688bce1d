// The command-line options of ecbench. They include the options of Ceph's tool, with the same spelling.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benchmark/point/point.h"

namespace ecbench {

struct Options {
  bool help = false;
  bool version = false;
  bool schema = false;
  bool list = false;
  bool show_reads = false;
  std::size_t csum_block = 4096;  ///< bytes of a checksum block of BlueStore, for show_reads
  bool environment = false;
  bool strict = false;        ///< --strict: a warning, or a machine that is not suitable for measurements, is an error
  bool plugin_given = false;  ///< true if the command line names the plugin
  bool verbose = false;
  bool as_ceph = false;  ///< options have the defaults and meanings of Ceph's tool; set by the program's name or --format ceph
  std::vector<std::string> arguments;  ///< argv, unchanged
  std::set<std::string> given;         ///< long names of the given options, also if given as -P stripe_unit= or -P directory=
  std::string program;                 ///< argv[0]
  std::string plugin_directory;        ///< "" if not set; then Registry::default_directory() chooses the directory
  std::string describe_file;           ///< the file with the lines of --describe; "-" for standard input, "" without the option
  std::string format;
  std::string input_file;                ///< file with the bytes of the object; "" if the bytes are pseudo-random or set by --fill
  std::string chunks_directory;          ///< directory to which --chunks-out writes chunk files; "" without the option
  std::string chunks_in_directory;       ///< directory of the chunk files that --chunks-in decodes; "" without the option
  std::string object_file;               ///< file to which --chunks-in writes the object; "" for standard output
  std::string ceph_dump_file;            ///< file that describes the object of --chunks-in; "" without the option
  std::string osdmap_file;               ///< file that describes the pool of --chunks-in; "" without the option
  std::optional<std::string> ceph_pool;  ///< name of the pool of --chunks-in
  std::optional<std::uint32_t> crc32c;   ///< digest of the object that --chunks-in decodes
  std::string output_file;               ///< run file to which the row is appended; "" for none
  std::string symbols_file;              ///< file to which --symbols writes the addresses of the kernels; "" without the option
  bool count_instructions = false;       ///< also count instructions (--count-instructions)
  bool serve_slices = false;             ///< measure slices on request (--serve-slices)
  int arena = -1;                        ///< file descriptor of the shared memory for slices; -1 if not given
  std::string instructions_file;         ///< file for the number of executions of each instruction; "" without --instructions-out
  bool length_given = false;             ///< true if as_ceph is true, or if --iterations or an option for samples is given
  Point point;
  std::vector<std::string> warnings;
  std::string missing_plugin_directory;  ///< the given one, if it does not exist; only if as_ceph is true
};

/// Parses the command line. If the program is called as ceph_erasure_code_benchmark, or with --format ceph, the defaults are those
/// of the newest version of Ceph's tool. Throws Error for values that no code allows. Some values are allowed only for some codes:
/// check_erasures() and check_overwrite() check these values when the code is known.
Options parse_options(const std::vector<std::string>& arguments);

/// False for --output, --input, --erasure-code-dir, ...
bool describes_a_point(const std::string& option);

/// Throws Error if a position in point.erased is not below `chunk_count`, or if more than `coding_chunk_count` chunks are lost.
void check_erasures(const Point& point, int chunk_count, int coding_chunk_count);

/// In the order of --help.
std::vector<std::string> option_names();

std::string help_text(const std::string& program, unsigned columns);

}  // namespace ecbench
