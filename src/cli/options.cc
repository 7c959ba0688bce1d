#include "cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <limits>
#include <sstream>

#include "benchmark/workload.h"
#include "cli/choices.h"
#include "cli/measuring_options.h"
#include "cli/size.h"
#include "erasure_code/error.h"
#include "report/reporter.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr const char* ceph_name = "ceph_erasure_code_benchmark";

constexpr const char* our_size = "1MiB";
constexpr const char* ceph_size = "80MiB";

po::options_description described() {
  po::options_description options("Options", 120, 60);
  const auto text = [] { return po::value<std::string>(); };
  const auto texts = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = options.add_options();
  add("help,h", "print this and exit");
  add("version", "print version and compiler and exit");
  add("list", "print the plugins with their techniques and parameters and exit");
  add("environment", "print the circumstances of a measurement as one JSON object and exit: the machine, this build, and the\n"
      "codec libraries of --plugin, else of all plugins");
  add("strict", "refuse to measure where figures cannot be trusted: another load, a Debug build, no pinning, ...");
  add("verbose,v", "print each erasure pattern to standard error");
  add("plugin,p", text()->value_name("NAME"), "plugin, libec_NAME.so (default isa)");
  add("workload,w", text()->value_name(either(workload_names())), "what to time (default encode)");
  add("size,s", text()->value_name("BYTES"), "size of the object, also as 4K, 1M, 1MiB (default 1MiB; as Ceph's tool 80MiB)");
  add("erasures,e", text()->value_name("N"), "chunks that decode has lost (default 1)");
  add("erased", po::value<std::vector<std::string>>()->composing()->multitoken()->value_name("CHUNK..."),
      "which chunks decode has lost, by position; sets --erasures");
  add("erasures-generation,E", text()->value_name("random|exhaustive"),
      "patterns of lost chunks: some drawn at random, or all in each iteration (default random)");
  add("want", text()->value_name("all|data"), "lost chunks that decode rebuilds (default all)");
  add("parameter,P", texts()->value_name("KEY=VALUE"), "parameter of the profile, e.g. k=6; once for each");
  add("erasure-code-dir", text()->value_name("DIR"),
      "where the plugins are (default $ECBENCH_PLUGIN_DIR, else beside this program, else installed)");
  add("seed", text()->value_name("N"), "seed of the object's bytes and of random patterns (default 1)");
  add("input", text()->value_name("FILE"), "take the object's bytes from FILE");
  add("chunks-out", text()->value_name("DIR"), "write the chunks to DIR, named 0 to n-1");
  add("format", text()->value_name(either(format_names())), "how to print the row (default table)");
  add("output", text()->value_name("FILE"), "append the row to FILE too, as a line of JSON");
  describe_measuring_options(options);
  return options;
}

/// Joins a negative number to the option before it, since the library would take it for an option of its own.
std::vector<std::string> with_negative_numbers_joined(const std::vector<std::string>& arguments) {
  std::vector<std::string> joined;
  for (const std::string& argument : arguments) {
    const bool negative_number = argument.size() > 1 && argument[0] == '-' && std::isdigit(argument[1]) != 0;
    const bool after_option = !joined.empty() && joined.back().starts_with("-") && joined.back().find('=') == std::string::npos;
    if (negative_number && after_option) {
      joined.back() += (joined.back().starts_with("--") ? "=" : "") + argument;
    } else {
      joined.push_back(argument);
    }
  }
  return joined;
}

po::variables_map parsed(const std::vector<std::string>& arguments) {
  try {
    const po::options_description options = described();
    const po::parsed_options found = po::command_line_parser(with_negative_numbers_joined(arguments)).options(options).run();
    for (const po::option& option : found.options) {
      if (option.position_key != -1) {
        throw Error("argument '" + option.value.front() + "' is not an option: see --help for the options");
      }
    }
    po::variables_map values;
    po::store(found, values);
    return values;
  } catch (const po::error& error) {
    throw Error(std::string(error.what()) + ": see --help for the options");
  }
}

Positions parse_erased(const std::vector<std::string>& words) {
  Positions erased;
  for (const std::string& word : words) {
    std::istringstream list(word);
    for (std::string item; std::getline(list, item, ',');) {
      const std::uint64_t position = parse_count("--erased", item, 0);
      erased.push_back(static_cast<int>(std::min<std::uint64_t>(position, std::numeric_limits<int>::max())));
    }
  }
  std::ranges::sort(erased);
  const auto twice = std::ranges::adjacent_find(erased);
  if (twice != erased.end()) {
    throw Error("--erased " + std::to_string(*twice) + " is given twice: a chunk can be lost once");
  }
  return erased;
}

/// Keys of the profile that are not the code's: the plugin and the folder of plugins, which Ceph took as parameters in 2013.
void take_harness_parameters(Options& options, bool plugin_given) {
  Profile& profile = options.point.profile;
  if (options.plugin_directory.empty()) options.plugin_directory = profile.text("directory");
  profile.erase("directory");
  const std::string plugin = profile.text("plugin");
  if (!plugin.empty() && plugin_given && plugin != options.point.plugin) {
    throw Error("--parameter plugin=" + plugin + " is not allowed: --plugin says " + options.point.plugin);
  }
  if (!plugin.empty()) options.point.plugin = plugin;
  options.plugin_given = plugin_given || !plugin.empty();
  profile.erase("plugin");
}

void take_erasures(const po::variables_map& values, Point& point) {
  point.erasures = static_cast<int>(
      std::min<std::uint64_t>(parse_count("--erasures", text_of(values, "erasures", "1"), 0), std::numeric_limits<int>::max()));
  if (values.count("erased") == 0) return;
  point.erased = parse_erased(values["erased"].as<std::vector<std::string>>());
  const int count = static_cast<int>(point.erased.size());
  if (values.count("erasures") != 0 && point.erasures != count) {
    throw Error("--erasures " + std::to_string(point.erasures) + " is not allowed: --erased names " + std::to_string(count) +
                " chunks");
  }
  if (point.generation == ErasureGeneration::exhaustive) {
    throw Error("--erasures-generation exhaustive is not allowed with --erased: one visits all patterns, the other names one");
  }
  point.erasures = count;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.arguments = arguments;
  options.program = arguments.empty() ? "ecbench" : arguments.front();
  const po::variables_map values = parsed({arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end()});
  options.help = values.count("help") != 0;
  options.version = values.count("version") != 0;
  options.list = values.count("list") != 0;
  options.environment = values.count("environment") != 0;
  options.strict = values.count("strict") != 0;
  options.verbose = values.count("verbose") != 0;
  const bool called_as_ceph = std::filesystem::path(options.program).filename() == ceph_name;
  options.format = values.count("format") == 0 && called_as_ceph ? "ceph" : choice_of(values, "format", format_names());
  const bool as_ceph = options.format == "ceph";

  Point& point = options.point;
  point.plugin = text_of(values, "plugin", "isa");
  point.workload = choice_of(values, "workload", workload_names());
  options.input_file = text_of(values, "input", "");
  if (values.count("size") != 0 || options.input_file.empty()) {
    point.size_bytes = parse_size("--size", text_of(values, "size", as_ceph ? ceph_size : our_size));
  }
  take_measuring_options(values, as_ceph, point);
  point.seed = parse_count("--seed", text_of(values, "seed", "1"), 0);
  const bool exhaustive = choice_of(values, "erasures-generation", {"random", "exhaustive"}) == "exhaustive";
  point.generation = exhaustive ? ErasureGeneration::exhaustive : ErasureGeneration::random;
  point.want = choice_of(values, "want", {"all", "data"}) == "data" ? Want::data : Want::all;
  take_erasures(values, point);
  options.plugin_directory = text_of(values, "erasure-code-dir", "");
  options.chunks_directory = text_of(values, "chunks-out", "");
  options.output_file = text_of(values, "output", "");
  if (values.count("parameter") != 0) {
    for (const std::string& parameter : values["parameter"].as<std::vector<std::string>>()) {
      if (point.profile.add(parameter)) options.warnings.push_back("--parameter " + parameter + " replaces an earlier one");
    }
  }
  take_harness_parameters(options, values.count("plugin") != 0);
  return options;
}

void check_erasures(const Point& point, int chunk_count, int coding_chunk_count) {
  if (!point.erased.empty() && point.erased.back() >= chunk_count) {
    throw Error("--erased " + std::to_string(point.erased.back()) + " is not allowed: the chunks are 0 to " +
                std::to_string(chunk_count - 1));
  }
  if (point.erasures > coding_chunk_count) {
    throw Error((point.erased.empty() ? "--erasures " : "--erased with a number of chunks of ") + std::to_string(point.erasures) +
                " is not allowed: this code can lose at most " + std::to_string(coding_chunk_count) + " of its " +
                std::to_string(chunk_count) + " chunks");
  }
}

std::string help_text(const std::string& program) {
  std::ostringstream text;
  text << "usage: " << std::filesystem::path(program).filename().string()
       << " [options]\n\nTimes an erasure code: encodes or decodes an object in memory and prints one row.\n\n"
       << described() << "\nExample: " << std::filesystem::path(program).filename().string()
       << " -p jerasure -P technique=cauchy_good -P k=6 -P m=2 -P packetsize=3072 -w decode -e 2\n";
  return text.str();
}

}  // namespace ecbench
