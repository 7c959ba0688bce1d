#include "cli/options.h"

#include <algorithm>
#include <bit>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "benchmark/workloads/workload.h"
#include "cli/arguments.h"
#include "cli/ceph_options.h"
#include "cli/choices.h"
#include "cli/measuring_options.h"
#include "cli/restore_options.h"
#include "cli/size.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "report/reporter.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr const char* our_size = "1MiB";
constexpr const char* ceph_size = "80MiB";
constexpr std::size_t most_csum_block = 1 << 20;
constexpr unsigned narrowest_help = 40;
constexpr unsigned widest_help = 120;  // columns

/// Describes all options, for a terminal with `columns` columns. If `as_ceph` is set, --erased takes one chunk, as in Ceph's tool;
/// otherwise it takes a list of chunks.
po::options_description described(bool as_ceph, unsigned columns = widest_help) {
  po::options_description options("Options", columns, columns / 2);
  const auto text = [] { return po::value<std::string>(); };
  const auto texts = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = options.add_options();
  add("help,h", "print this help and exit");
  add("version", "print the version and the compiler, and exit. With --format json, also print the features of this build");
  add("schema", "print the JSON schema of a row (all keys with their meaning, and the columns of the table), and exit");
  add("list", "print the plugins with their techniques and parameters, and exit");
  add("show-reads",
      "print which chunks are read to rebuild the chunks of --erased, and exit. Without --erased, print this for every possible "
      "loss of N chunks. N is the value of --erasures (default 1)");
  add("csum-block", text()->value_name("BYTES"),
      "with --show-reads: bytes of a checksum block. BlueStore reads whole blocks (default 4096)");
  add("describe", text()->value_name("FILE"),
      "read lines {\"words\": [OPTION, ...]} from FILE (- for standard input). For each line, print as JSON what would be "
      "measured, or why the line would be refused. Nothing is measured");
  add("environment",
      "print JSON that describes the machine, this build, and the codec libraries of --plugin (default: of all plugins), and exit");
  add("strict",
      "if the machine is not suitable for measurements (high load, a Debug build, unpinned threads, ...) or the row has a "
      "warning, print no row and exit with code 1");
  add("verbose,v", "print the texts of warnings and notes, and each erasure pattern, to standard error");
  add("plugin,p", text()->value_name("NAME"),
      "name of the plugin (default isa); its file is libec_NAME.so. Ceph's old names also work. They set the plugin and the "
      "dispatch level: jerasure_generic and shec_generic set scalar, jerasure_sse3 and shec_sse3 set ssse3, and jerasure_sse4 and "
      "shec_sse4 set native");
  add("workload,w", text()->value_name(either(workload_names())), "the operation to time (default encode)");
  add("size,s", text()->value_name("BYTES"),
      "size of the object, e.g. 4096, 4K, 1M or 1MiB (default 1MiB; if called as Ceph's tool: 80MiB)");
  add("erasures,e", text()->value_name("N"), "number of lost chunks for decode (default 1). A repair always has one lost chunk");
  add("erased", as_ceph ? texts() : texts()->multitoken()->value_name("CHUNK..."),
      "positions of the lost chunks. --erasures is then the number of these positions. Without --erased, decode uses several "
      "erasure patterns, and repair rebuilds each chunk in turn");
  add("erasures-generation,E", text()->value_name("random|exhaustive"),
      "erasure patterns of decode: random patterns, or all possible patterns in each iteration (default random)");
  add("want", text()->value_name("all|data"), "for decode: rebuild all lost chunks, or only the lost data chunks (default all)");
  add("changed", text()->value_name("N"), "number of changed data chunks for overwrite (default 1)");
  add("parameter,P", texts()->value_name("KEY=VALUE"), "a parameter of the profile, e.g. k=6; can be repeated");
  add("erasure-code-dir", text()->value_name("DIR"),
      "directory of the plugins (default: $ECBENCH_PLUGIN_DIR, else plugins/ next to this program, else the installed plugins)");
  add("codec-lib", text()->value_name("DIR"), "load the codec libraries (libisal.so.2, ...) from DIR, not from the system");
  add("seed", text()->value_name("N"), "seed for the object's bytes and for random erasure patterns (default 1)");
  add("input", text()->value_name("FILE"), "read the object from FILE");
  add("chunks-out", text()->value_name("DIR"),
      "write the chunks to files 0 to n-1 in DIR, which must be new or empty, with a manifest");
  add("format", text()->value_name(either(format_names())), "format of the row (default table)");
  add("output", text()->value_name("FILE"), "also append the row to FILE, as a line of JSON");
  add("count-instructions",
      "also count the instructions of N iterations (N is the value of --iterations, default 1), by single-stepping a copy of "
      "this process. Each instruction then takes microseconds, so use a small object");
  add("instructions-out", text()->value_name("FILE"),
      "with --count-instructions: write to FILE, as JSON, how often each instruction ran");
  add("symbols", text()->value_name("FILE"),
      "write the names and addresses of the erasure code's kernels to FILE as JSON, for profilers");
  add("serve-slices",
      "print the point as one line of JSON. Then read commands from standard input, and execute them. For example, the command "
      "'time N' measures the time of N iterations. bench.sh gate uses this option to compare two builds");
  add("arena", text()->value_name("FD"), "with --serve-slices: file descriptor of the shared memory, from memfd_create()");
  describe_restore_options(options);
  describe_measuring_options(options);
  return options;
}

/// Parses a count of chunks, or the position of one chunk. Throws Error if the text is not a whole number that fits in an int.
int parse_chunk_number(const std::string& option, const std::string& text) {
  const std::uint64_t number = parse_count(option, text, 0);
  if (number > std::numeric_limits<int>::max())
    throw Error(option + " " + text + " is not allowed: give at most " + std::to_string(std::numeric_limits<int>::max()));
  return static_cast<int>(number);
}

/// Returns the lost chunks in ascending order. If `as_ceph` is true, removes repeated chunks, as Ceph's tool does. If `as_ceph` is
/// false, throws Error for a repeated chunk.
Positions parse_erased(const std::vector<std::string>& words, bool as_ceph) {
  Positions erased;
  for (const std::string& word : words) {
    std::istringstream list(word);
    for (std::string item; std::getline(list, item, ',');) {
      erased.push_back(parse_chunk_number("--erased", item));
    }
  }
  if (erased.empty()) throw Error("--erased '' is not allowed: give the lost chunks, such as 0 or 0,3");
  std::ranges::sort(erased);
  if (as_ceph) erased.erase(std::unique(erased.begin(), erased.end()), erased.end());
  const auto twice = std::ranges::adjacent_find(erased);
  if (twice != erased.end()) {
    throw Error("--erased " + std::to_string(*twice) + " is given twice: give each lost chunk once");
  }
  return erased;
}

/// Removes the key `stripe_unit` from the profile, and stores its value in `options`. In Ceph, the stripe unit is a property of the
/// pool. If options.as_ceph is true, the value is ignored, as in Ceph's tool.
void take_stripe_unit(Options& options) {
  const std::string text = options.point.profile.text("stripe_unit");
  options.point.profile.erase("stripe_unit");
  if (text.empty() || options.as_ceph) return;
  refuse_joined("stripe_unit", text);
  const std::size_t bytes = parse_size("--parameter stripe_unit=", text);
  if (options.given.count("stripe-unit") != 0 && bytes != options.point.stripe_unit_bytes) {
    throw Error("--parameter stripe_unit=" + text + " is not allowed: --stripe-unit has another value (" +
                (options.point.stripe_unit_bytes == 0 ? "none" : std::to_string(options.point.stripe_unit_bytes)) +
                "); leave one of them out");
  }
  options.point.stripe_unit_bytes = bytes;
  options.given.insert("stripe-unit");
}

/// Removes the keys of the profile that are not parameters of the code. The values of `stripe_unit` and `plugin` are stored in
/// `options`. `directory`, from which Ceph loaded its plugins in 2013, has no effect: a profile must not name what is loaded.
void take_harness_parameters(Options& options, bool plugin_given) {
  Profile& profile = options.point.profile;
  if (profile.has("directory")) {
    options.warnings.push_back("parameter directory=" + profile.text("directory") +
                               " is ignored; to load other plugins, give --erasure-code-dir");
  }
  profile.erase("directory");
  take_stripe_unit(options);
  const std::string plugin = profile.text("plugin");
  refuse_joined("plugin", plugin);
  options.plugin_given = plugin_given || !plugin.empty();
  // If --plugin and the profile's key `plugin` have different values, the key is a parameter of the code. For example, the
  // plugin ceph has a parameter `plugin`: the name of Ceph's plugin. The registry refuses the key if the plugin named by --plugin
  // has no such parameter.
  const bool is_for_us = !plugin_given || plugin.empty() || plugin == options.point.plugin;
  if (!is_for_us) return;
  if (!plugin.empty()) options.point.plugin = plugin;
  profile.erase("plugin");
}

/// If the plugin has one of Ceph's old names, such as jerasure_sse3, sets the dispatch level that this name implies.
void take_dispatch_of_alias(Options& options) {
  const std::optional<PluginAlias> alias = plugin_alias(options.point.plugin);
  if (!alias) return;
  if (options.given.count("dispatch") == 0) options.point.dispatch = alias->dispatch;
  check_alias(*alias, options.point.dispatch);
}

void take_erasures(const po::variables_map& values, Options& options) {
  Point& point = options.point;
  point.erasures = parse_chunk_number("--erasures", text_of(values, "erasures", "1"));
  if (values.count("erased") == 0) return;
  point.erased = parse_erased(values["erased"].as<std::vector<std::string>>(), options.as_ceph);
  const int count = static_cast<int>(point.erased.size());
  if (values.count("erasures") != 0 && point.erasures != count && !options.as_ceph) {
    throw Error("--erasures " + std::to_string(point.erasures) + " is not allowed: the number of chunks in --erased is " +
                std::to_string(count) + "; leave --erasures out");
  }
  if (point.generation == ErasureGeneration::exhaustive) {
    throw Error(
        "--erasures-generation exhaustive is not allowed with --erased, which gives a single pattern; leave one of them out");
  }
  point.erasures = count;
}

/// Throws Error if an option for lost chunks is given and the workload has no lost chunks. Does nothing if options.as_ceph is true,
/// because Ceph's tool ignores these options.
void check_losses(const Options& options) {
  if (options.as_ceph || workload_named(options.point.workload).loses_chunks() || options.show_reads ||
      !options.chunks_in_directory.empty())
    return;
  for (const char* option : {"erasures", "erased", "erasures-generation", "want"}) {
    const bool is_number = std::string(option) == "erasures";
    if (options.given.count(option) == 0 || (is_number && options.point.erasures == 0)) continue;
    throw Error(std::string("--") + option + (is_number ? " " + std::to_string(options.point.erasures) : "") +
                " is not allowed with --workload " + options.point.workload +
                ", which has no lost chunks; give --workload decode or repair");
  }
}

/// Stores the value of --changed in `point`. It is the number of data chunks that an overwrite changes. When the code is known,
/// check_overwrite() checks this number.
void take_changed(const po::variables_map& values, Point& point) {
  const WorkloadDescriptor& workload = workload_named(point.workload);
  const int changed = parse_chunk_number("--changed", text_of(values, "changed", "1"));
  if (values.count("changed") != 0 && !workload.overwrites) {
    throw Error("--changed " + std::to_string(changed) + " is not allowed with --workload " + point.workload +
                ", which changes no chunks: give --workload overwrite");
  }
  if (!workload.overwrites) return;
  point.changed_chunks = changed;
}

void check_timing(const Point& point) {
  const WorkloadDescriptor& workload = workload_named(point.workload);
  if (point.timing != Timing::api || workload.is_in_ceph || workload.is_reference_loop) return;
  throw Error("--timing api is not allowed with --workload " + point.workload +
              ": Ceph's tool has no such workload; give --timing kernel");
}

/// Refuses options that a workload with one lost chunk does not support.
void check_single_loss(const Point& point) {
  const auto refuse = [&](const std::string& what, const std::string& why) {
    throw Error(what + " is not allowed with --workload " + point.workload + ": " + why);
  };
  if (point.erasures != 1) {
    refuse(point.erased.empty() ? "--erasures " + std::to_string(point.erasures) : "--erased with several chunks",
           "a repair rebuilds one lost chunk; for several lost chunks, give --workload decode");
  }
  if (point.generation == ErasureGeneration::exhaustive) {
    refuse("--erasures-generation exhaustive",
           "repair already rebuilds each chunk in turn, unless --erased selects one chunk; leave the option out");
  }
  if (point.want == Want::data) refuse("--want data", "a repair always rebuilds the lost chunk; leave the option out");
}

void take_instructions(const po::variables_map& values, Options& options) {
  options.count_instructions = values.count("count-instructions") != 0;
  options.instructions_file = path_of(values, "instructions-out");
  if (!options.instructions_file.empty() && !options.count_instructions) {
    throw Error("--instructions-out " + options.instructions_file +
                " is not allowed without --count-instructions; give both options, or leave --instructions-out out");
  }
  if (!options.count_instructions) return;
  if (options.as_ceph)
    throw Error(
        "--count-instructions is not allowed with the format of Ceph's tool, which contains no instruction counts; leave --format "
        "ceph out, and call the program by the name ecbench");
  if (options.point.threads > 1) {
    throw Error("--threads " + std::to_string(options.point.threads) +
                " is not allowed with --count-instructions, which counts the instructions of one thread; leave --threads out");
  }
}

void take_serving(const po::variables_map& values, Options& options) {
  options.serve_slices = values.count("serve-slices") != 0;
  if (values.count("arena") == 0) return;
  const std::string text = text_of(values, "arena", "");
  const std::uint64_t descriptor = parse_count("--arena", text, 0);
  if (descriptor > std::numeric_limits<int>::max())
    throw Error("--arena " + text + " is not allowed: it is not a file descriptor; give the descriptor of the shared memory");
  if (!options.serve_slices)
    throw Error("--arena " + text + " is not allowed without --serve-slices; give both options, or leave --arena out");
  options.arena = static_cast<int>(descriptor);
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.arguments = arguments;
  options.program = arguments.empty() ? "ecbench" : arguments.front();
  std::vector<std::string> words(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  const bool is_ceph = is_ceph_command(options.program, words);
  const po::options_description known = described(is_ceph);
  if (is_ceph) words = ceph_words(words, known);
  const auto [values, given] = parse_arguments(words, known, is_ceph);
  options.given = given;
  options.help = values.count("help") != 0;
  options.version = values.count("version") != 0;
  options.schema = values.count("schema") != 0;
  options.list = values.count("list") != 0;
  options.show_reads = values.count("show-reads") != 0;
  options.environment = values.count("environment") != 0;
  options.strict = values.count("strict") != 0;
  options.verbose = values.count("verbose") != 0;
  if (options.version) options.format = choice_of(values, "format", {"table", "json"});
  if (options.help || options.version || options.schema) return options;
  options.format = values.count("format") == 0 && is_ceph ? "ceph" : choice_of(values, "format", format_names());
  options.as_ceph = is_ceph || options.format == "ceph";

  Point& point = options.point;
  point.plugin = text_of(values, "plugin", "isa");
  point.workload = choice_of(values, "workload", workload_names());
  options.input_file = path_of(values, "input");
  if (values.count("size") != 0 || options.input_file.empty()) {
    point.size_bytes = parse_size("--size", text_of(values, "size", options.as_ceph ? ceph_size : our_size));
  }
  take_measuring_options(values, options.as_ceph, point);
  options.length_given = point.iterations > 0 || asks_for_samples(values);
  point.seed = parse_count("--seed", text_of(values, "seed", "1"), 0);
  const bool exhaustive = choice_of(values, "erasures-generation", {"random", "exhaustive"}) == "exhaustive";
  point.generation = exhaustive ? ErasureGeneration::exhaustive : ErasureGeneration::random;
  point.want = choice_of(values, "want", {"all", "data"}) == "data" ? Want::data : Want::all;
  take_erasures(values, options);
  if (workload_named(point.workload).losses == Losses::one) check_single_loss(point);
  take_changed(values, point);
  check_timing(point);
  options.plugin_directory = path_of(values, "erasure-code-dir");
  if (point.fill && !options.input_file.empty()) {
    throw Error("--fill is not allowed with --input: each of them sets the object's bytes; leave one out");
  }
  if (values.count("csum-block") != 0) {
    if (!options.show_reads) throw Error("--csum-block is not allowed without --show-reads: leave it out, or give --show-reads");
    options.csum_block = parse_size("--csum-block", text_of(values, "csum-block", ""));
    if (!std::has_single_bit(options.csum_block) || options.csum_block > most_csum_block) {
      throw Error("--csum-block " + text_of(values, "csum-block", "") + " is not allowed: give a power of two, at most " +
                  std::to_string(most_csum_block));
    }
  }
  options.describe_file = path_of(values, "describe");
  options.chunks_directory = path_of(values, "chunks-out");
  take_restore_options(values, options);
  check_losses(options);
  options.output_file = path_of(values, "output");
  options.symbols_file = path_of(values, "symbols");
  take_instructions(values, options);
  point.codec_lib = path_of(values, "codec-lib");
  take_serving(values, options);
  if (values.count("parameter") != 0) {
    for (const std::string& parameter : values["parameter"].as<std::vector<std::string>>()) {
      if (point.profile.add(parameter))
        options.warnings.push_back("--parameter " + parameter + " replaces an earlier --parameter with the same key");
    }
  }
  take_harness_parameters(options, values.count("plugin") != 0);
  take_dispatch_of_alias(options);
  if (options.as_ceph && options.plugin_directory.empty()) options.plugin_directory = plugin_directory_of_ceph_args();
  // Articles about Ceph's tool name a directory of Ceph's build, such as .libs.
  std::error_code ignored;
  if (options.as_ceph && !std::filesystem::is_directory(options.plugin_directory, ignored)) {
    options.missing_plugin_directory = std::exchange(options.plugin_directory, "");
  }
  const char* from_environment = std::getenv("ECBENCH_PLUGIN_DIR");
  if (options.plugin_directory.empty() && from_environment != nullptr) options.plugin_directory = from_environment;
  return options;
}

bool describes_a_point(const std::string& option) {
  static const std::set<std::string> of_what{"plugin", "workload",  "size", "erasures",  "erased", "erasures-generation",
                                             "want",   "parameter", "seed", "codec-lib", "changed"};
  static const po::options_description of_how = [] {
    po::options_description options;
    describe_measuring_options(options);
    return options;
  }();
  return of_what.count(option) != 0 || of_how.find_nothrow(option, false) != nullptr;
}

void check_erasures(const Point& point, int chunk_count, int coding_chunk_count) {
  if (!point.erased.empty() && point.erased.back() >= chunk_count) {
    throw Error("--erased " + std::to_string(point.erased.back()) + " is not allowed: the chunks are 0 to " +
                std::to_string(chunk_count - 1));
  }
  if (point.erasures > coding_chunk_count) {
    throw Error((point.erased.empty() ? "--erasures " + std::to_string(point.erasures)
                                      : "--erased with " + std::to_string(point.erasures) + " chunks") +
                " is not allowed: this code can lose at most " + std::to_string(coding_chunk_count) + " of its " +
                std::to_string(chunk_count) + " chunks");
  }
}

std::vector<std::string> option_names() {
  const po::options_description all = described(false);
  std::vector<std::string> names;
  for (const auto& option : all.options()) names.push_back(option->long_name());
  return names;
}

std::string help_text(const std::string& program, unsigned columns) {
  std::ostringstream text;
  text << "usage: " << std::filesystem::path(program).filename().string() << " [options]\n       "
       << std::filesystem::path(program).filename().string() << " MODE [arguments]   ("
       << std::filesystem::path(program).filename().string() << " help lists all modes)\n\n"
       << "Times an erasure code: encodes, decodes, repairs or overwrites an object in memory and prints one row.\n\n"
       << described(false, std::clamp(columns, narrowest_help, widest_help))
       << "\nExample: " << std::filesystem::path(program).filename().string()
       << " -p jerasure -P technique=cauchy_good -P k=6 -P m=2 -P packetsize=3072 -w decode -e 2\n";
  return text.str();
}

}  // namespace ecbench
