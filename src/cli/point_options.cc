#include "cli/point_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "benchmark/profiling/profiling.h"
#include "cli/commands.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"

namespace ecbench {
namespace {

constexpr const char* our_size = "1MiB";
constexpr const char* ceph_size = "80MiB";

po::options_description all_point_options(bool as_ceph) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  const auto texts = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = options.add_options();
  add("plugin,p", text()->value_name("NAME"), "libec_NAME.so (default isa)");
  add("parameter,P", texts()->value_name("KEY=VALUE"), "parameter of the profile, e.g. k=6; repeatable");
  add("workload,w", text()->value_name("NAME"), joined(workload_names(), "|").c_str());
  add("size,s", text()->value_name("BYTES"), "object, e.g. 4K (default 1MiB; Ceph: 80MiB)");
  add("erasures,e", text()->value_name("N"), "number of lost chunks (default 1)");
  add("erased", as_ceph ? texts() : texts()->multitoken()->value_name("CHUNK..."), "positions of the lost chunks, e.g. 0 3");
  add("erasures-generation,E", text()->value_name("KIND"), "patterns: random (default) or exhaustive");
  // The lost chunks that a decode rebuilds (all, or data chunks); the number of data chunks that an overwrite changes (1); the seed
  // for the object and random patterns (1).
  add("want", text()->value_name("all|data"), "");
  add("changed", text()->value_name("N"), "");
  add("seed", text()->value_name("N"), "");
  add("codec-lib", text()->value_name("DIR"), "libisal.so.2, ... of DIR, not of the system");
  add_measuring_options(options);
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
void take_stripe_unit(PointOptions& options) {
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
void take_harness_parameters(PointOptions& options, bool plugin_given) {
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
  // If --plugin has another value, `plugin` is a parameter of the code: that of the plugin ceph names Ceph's plugin. The registry
  // refuses it for other plugins.
  const bool is_for_us = !plugin_given || plugin.empty() || plugin == options.point.plugin;
  if (!is_for_us) return;
  if (!plugin.empty()) options.point.plugin = plugin;
  profile.erase("plugin");
}

/// If the plugin has one of Ceph's old names, such as jerasure_sse3, sets the dispatch level that this name implies.
void take_dispatch_of_alias(PointOptions& options) {
  const std::optional<PluginAlias> alias = plugin_alias(options.point.plugin);
  if (!alias) return;
  if (options.given.count("dispatch") == 0) options.point.dispatch = alias->dispatch;
  check_alias(*alias, options.point.dispatch);
}

void take_erasures(const Arguments& arguments, PointOptions& options) {
  Point& point = options.point;
  point.erasures = parse_chunk_number("--erasures", arguments.text("erasures", "1"));
  if (!arguments.has("erased")) return;
  point.erased = parse_erased(arguments.texts("erased"), options.as_ceph);
  const int count = static_cast<int>(point.erased.size());
  if (arguments.has("erasures") && point.erasures != count && !options.as_ceph) {
    throw Error("--erasures " + std::to_string(point.erasures) + " is not allowed: the number of chunks in --erased is " +
                std::to_string(count) + "; leave --erasures out");
  }
  if (point.generation == ErasureGeneration::exhaustive) {
    throw Error(
        "--erasures-generation exhaustive is not allowed with --erased, which gives a single pattern; leave one of them out");
  }
  point.erasures = count;
}

/// The number of data chunks that an overwrite changes; check_overwrite() checks it when the code is known.
void take_changed(const Arguments& arguments, Point& point) {
  const WorkloadDescriptor& workload = workload_named(point.workload);
  const int changed = parse_chunk_number("--changed", arguments.text("changed", "1"));
  if (arguments.has("changed") && !workload.overwrites) {
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

}  // namespace

void add_point_options(po::options_description& options, bool as_ceph, std::initializer_list<const char*> names) {
  const auto is_named = [&](const std::string& name) { return names.size() == 0 || std::ranges::find(names, name) != names.end(); };
  const po::options_description all = all_point_options(as_ceph);
  for (const auto& option : all.options()) {
    if (is_named(option->long_name())) options.add(option);
  }
}

void add_plugin_directory(po::options_description& options) {
  options.add_options()("erasure-code-dir", po::value<std::string>()->value_name("DIR"), "directory of the plugins");
}

PluginOptions take_plugin_options(const Arguments& arguments, bool as_ceph) {
  PluginOptions plugins{
      .directory = arguments.path("erasure-code-dir"), .codec_lib = arguments.path("codec-lib"), .as_ceph = as_ceph};
  if (as_ceph && plugins.directory.empty()) plugins.directory = plugin_directory_of_ceph_args();
  // Articles about Ceph's tool name a directory of Ceph's build, such as .libs.
  std::error_code ignored;
  if (as_ceph && !std::filesystem::is_directory(plugins.directory, ignored)) {
    plugins.missing_directory = std::exchange(plugins.directory, "");
  }
  const char* from_environment = std::getenv("ECBENCH_PLUGIN_DIR");
  if (plugins.directory.empty() && from_environment != nullptr) plugins.directory = from_environment;
  return plugins;
}

PointOptions take_point_options(const Arguments& arguments, bool as_ceph) {
  PointOptions options{.as_ceph = as_ceph, .given = arguments.given};
  Point& point = options.point;
  point.plugin = arguments.text("plugin", "isa");
  point.workload = arguments.choice("workload", workload_names());
  options.input_file = arguments.path("input");
  if (arguments.has("size") || options.input_file.empty()) {
    point.size_bytes = parse_size("--size", arguments.text("size", as_ceph ? ceph_size : our_size));
  }
  take_measuring_options(arguments, as_ceph, point);
  options.length_given = point.iterations > 0 || asks_for_samples(arguments);
  point.seed = parse_count("--seed", arguments.text("seed", "1"), 0);
  const bool exhaustive = arguments.choice("erasures-generation", {"random", "exhaustive"}) == "exhaustive";
  point.generation = exhaustive ? ErasureGeneration::exhaustive : ErasureGeneration::random;
  point.want = arguments.choice("want", {"all", "data"}) == "data" ? Want::data : Want::all;
  take_erasures(arguments, options);
  if (workload_named(point.workload).losses == Losses::one) check_single_loss(point);
  take_changed(arguments, point);
  check_timing(point);
  if (point.fill && !options.input_file.empty()) {
    throw Error("--fill is not allowed with --input: each of them sets the object's bytes; leave one out");
  }
  point.codec_lib = arguments.path("codec-lib");
  for (const std::string& parameter : arguments.texts("parameter")) {
    if (point.profile.add(parameter))
      options.warnings.push_back("--parameter " + parameter + " replaces an earlier --parameter with the same key");
  }
  take_harness_parameters(options, arguments.has("plugin"));
  take_dispatch_of_alias(options);
  options.plugins = take_plugin_options(arguments, as_ceph);
  return options;
}

void check_losses(const PointOptions& options) {
  if (options.as_ceph || workload_named(options.point.workload).loses_chunks()) return;
  for (const char* option : {"erasures", "erased", "erasures-generation", "want"}) {
    const bool is_number = std::string(option) == "erasures";
    if (options.given.count(option) == 0 || (is_number && options.point.erasures == 0)) continue;
    throw Error(std::string("--") + option + (is_number ? " " + std::to_string(options.point.erasures) : "") +
                " is not allowed with --workload " + options.point.workload +
                ", which has no lost chunks; give --workload decode or repair");
  }
}

Registry registry_of(const PluginOptions& options) {
  if (!options.missing_directory.empty())
    say("note: the plugin directory " + options.missing_directory + " does not exist; ecbench's own plugins are used");
  Registry registry(Registry::default_directory(options.directory),
                    [as_ceph = options.as_ceph](const std::string& message) { note(as_ceph, message); });
  if (options.as_ceph) registry.ignore_unknown_parameters();
  registry.before_loading([codec_lib = options.codec_lib](const PluginFile& plugin) {
    prepare_for_plugin(plugin);
    if (!codec_lib.empty()) load_codec_libraries(codec_lib, plugin.path);
  });
  return registry;
}

void prepare_for_plugin(const PluginFile& plugin) {
  blame_for_process_end(plugin.name);
  if (plugin.ends_process) continue_in_child();
}

Limits limits_of(const Point& point) {
  return {.dispatch = point.dispatch, .threads = point.threads + (point.background ? background_point(point).threads : 0)};
}

Environment environment_of(const Call& call, const Point& point) {
  Environment environment = read_environment(call.argv);
  environment.threads = point.threads;
  environment.pinned_cpus = point.cpus;
  return environment;
}

}  // namespace ecbench
