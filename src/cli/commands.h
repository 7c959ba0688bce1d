// The commands of ecbench, one file each, and what they share: messages, registries of plugins, the check of their files.

#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remarks.h"
#include "cli/arguments.h"
#include "cli/point_options.h"
#include "erasure_code/registry.h"

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

/// Without control characters; long words and messages are shortened.
std::string one_line(const std::string& message);

/// To standard error, as one line.
void say(const std::string& message);

/// Nothing if as_ceph is set: Ceph's tool prints only errors.
void note(bool as_ceph, const std::string& message);

/// Counts and codes in one line; with `verbose`, the texts. Flushes standard output first, so that they follow the result.
void say_remarks(bool verbose, const Remarks& warnings, const Remarks& notes);

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

/// Before `plugin` is loaded: if it ends the process later, a message names it. With plugin.ends_process, the program continues in
/// a child process.
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

/// Reads `lines`. For each line, writes one answer to `out`, and then reads the next line. src/report/describe.schema.json defines
/// the format of the lines ($defs/question) and of the answers. If the point is not allowed, the answer contains the reason. The
/// measurement of an allowed point can still fail: for example, there is not enough memory, a library is missing, or decode without
/// --erased finds no erasure pattern that the code can recover.
///
/// Some plugins use a library that chooses its kernels only once per process. All lines for such a plugin must have the same
/// --dispatch level; a line with another level is refused. A process can load the libraries of only one --codec-lib. Therefore
/// other processes answer the lines with another --codec-lib.
///
/// Throws Error with the line number if a line does not have the format $defs/question.
void describe_points(const DescribeOptions& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
