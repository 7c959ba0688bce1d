// The commands of ecbench, one file each, and what they share: messages, registries of plugins, the check of their files.

#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/environment/environment.h"
#include "benchmark/erasures/erasures.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/pace/pace.h"
#include "benchmark/workloads/workload.h"
#include "cli/arguments.h"
#include "cli/point_options.h"
#include "erasure_code/registry.h"
#include "report/reporter.h"

namespace ecbench {

/// A command line of a command.
struct Call {
  std::vector<std::string> argv;  ///< unchanged
  std::string called;             ///< the word that chose the command, as in messages: list, --list; "" for none
  bool as_ceph = false;           ///< see is_ceph_command()
  Arguments arguments;            ///< its own options

  std::string program() const { return argv.empty() ? "ecbench" : argv.front(); }
};

struct Command {
  std::string name;
  std::string word;     ///< the option that chose the command in 1.0, without --, and still does; "" for measure
  std::string operand;  ///< what the option takes, and what may follow the name: DIR, FILE; "" if nothing
  void (*add_options)(po::options_description& options, bool as_ceph);
  int (*run)(const Call& call);  ///< returns the exit code
  bool ignores_others;           ///< with its word of 1.0, other options have no effect, as in 1.0
  std::string summary;           ///< for --help
};

// In the files of these names; the table of the commands is in run.cc.
void add_describe_options(po::options_description&options, bool), add_environment_options(po::options_description&options, bool),
    add_list_options(po::options_description&options, bool), add_measure_options(po::options_description&options, bool as_ceph),
    add_reads_options(po::options_description&options, bool), add_restore_options(po::options_description&options, bool),
    add_schema_options(po::options_description&options, bool), add_serve_options(po::options_description&options, bool),
    add_version_options(po::options_description&options, bool);
int run_chunks(const Call&call), run_describe(const Call&call), run_environment(const Call&call), run_list(const Call&call),
    run_measure(const Call&call), run_reads(const Call&call), run_restore(const Call&call), run_schema(const Call&call),
    run_serve(const Call&call), run_version(const Call&call);

/// Executes the command line and returns the exit code: 0, or 1 if `list` cannot load a plugin. Throws Error.
int run(const std::vector<std::string>& argv);

/// The name of each command → the long names of its options.
std::map<std::string, std::vector<std::string>> command_options();

/// Those of measure, and the words that choose other commands.
std::vector<std::string> option_names();

/// The options of all commands, each once.
const po::options_description& all_options(bool as_ceph);

/// For std::bad_alloc and std::length_error.
inline constexpr const char* too_little_memory =
    "there is not enough memory: give a smaller --size, fewer threads, or a profile with fewer chunks";

/// Throws Error if standard output could not be written.
void flush_output();

/// Of --format. Throws Error for other formats.
bool is_json(const Call& call);

using Files = std::vector<std::pair<std::string, std::filesystem::path>>;  ///< what messages call them, and their paths

/// The files in `folder` with these names, called "FOLDER/NAME of `of`".
Files files_in(const std::filesystem::path& folder, const std::string& of, bool (*is_used)(const std::string& name));

/// Throws Error if an output has the real path of an input. Paths may be empty. Standard output is always an output; the program
/// and the plugins in `plugin_directory` are always inputs.
void check_overlap(const Files& outputs, Files inputs, const std::string& plugin_directory);

Registry registry_of(const PluginOptions& options);

/// Before `plugin` is loaded: if it ends the process later, a message names it. Continues in a child process if
/// plugin.ends_process.
void prepare_for_plugin(const PluginFile& plugin);

/// For the code of `point` and the codes that it is built on.
Limits limits_of(const Point& point);

/// Number of threads and pinned CPUs are those of `point`.
Environment environment_of(const Call& call, const Point& point);

struct DescribeOptions {
  std::string program;  ///< argv[0]
  std::string file;     ///< lines of JSON; "-" for standard input
  PluginOptions plugins;
};

/// For each line, writes an answer to `out` before it reads the next: src/report/describe.schema.json has the lines
/// ($defs/question) and the answers. The measurement of an allowed point can still fail: a library is missing, or decode without
/// --erased finds no erasure pattern that the code can recover.
///
/// All lines of a plugin whose library chooses its kernels once per process must have the same --dispatch level. Other processes
/// answer the lines with another --codec-lib. Throws Error with the line number for a line that is not a question.
void describe_points(const DescribeOptions& options, std::istream& lines, std::ostream& out);

// measure, and its steps, which chunks and serve share: first resolve(), then prepare(), then measure().

struct MeasureOptions : PointOptions {
  bool strict = false;  ///< a warning, or a machine that is not suitable for measurements, is an error
  bool verbose = false;
  std::string format;
  std::string output_file;          ///< run file to which the row is appended; "" for none
  std::string symbols_file;         ///< file to which --symbols writes the addresses of the kernels; "" without the option
  bool count_instructions = false;  ///< also count instructions
  std::string instructions_file;    ///< file for the number of executions of each instruction; "" without --instructions-out
};

/// Throws Error for values that are not allowed, and for an output that is an input.
MeasureOptions take_measure_options(const Call& call);

/// A point with all values, also those that the command line does not set.
struct ResolvedPoint {
  const Point point;  ///< with all parameters of the code and the object's size; no erasures if the workload loses no chunks
  const WorkloadDescriptor& workload;
  const std::unique_ptr<const ErasureCode> code;
  const std::vector<SharedObject> codec_libraries;  ///< the libraries in point.codec_lib that the loaded plugins use
  const std::vector<LostChunk> lost;                ///< the chunks that a repair workload rebuilds, one at a time
};

/// From resolve() to prepare().
struct SetUp {
  std::vector<std::uint8_t> object;
  std::jthread notice;  ///< says on a terminal that set-up takes long
};

/// Loads the plugin, makes the code, and then the object, whose size is known only then if --input is a pipe. Throws Error if the
/// point cannot be measured or, with --strict, the machine is not suitable.
ResolvedPoint resolve(const Call& call, const MeasureOptions& options, Registry& registry, SetUp& set_up);

struct Prepared {
  std::unique_ptr<const EncodedObject> object;
  std::unique_ptr<const Workload> workload;
  std::unique_ptr<BackgroundWork> background;  ///< null without --background
};

/// Ends the set-up. Also writes the file of --symbols, and prints the patterns.
Prepared prepare(const MeasureOptions& options, const ResolvedPoint& resolved, SetUp& set_up);

/// Prints the row. Throws Error if the point cannot be measured, or for a warning with --strict.
void measure(const Call& call, const MeasureOptions& options, const ResolvedPoint& resolved, const Prepared& prepared);

}  // namespace ecbench
