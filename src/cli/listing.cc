#include "cli/listing.h"

#include <iomanip>

#include "cli/run.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

void print_parameter(const Parameter& parameter, std::ostream& out) {
  const std::string default_value = parameter.default_value.empty() ? "none" : parameter.default_value;
  out << "    " << std::left << std::setw(30) << parameter.name << std::setw(22) << allowed_values(parameter) << "default "
      << std::setw(8) << default_value << parameter.meaning << '\n';
}

void print_plugin(const Plugin& plugin, const std::string& path, std::ostream& out) {
  out << plugin.name << ": " << plugin.summary << "\n  " << path << "\n  dispatch levels:";
  for (const std::string& level : plugin.dispatch_levels) {
    out << ' ' << level << (cpu_has_dispatch_level(level) ? "" : " (not on this CPU)");
  }
  out << ' ' << native_dispatch << '\n';
  for (const Technique& technique : plugin.techniques) {
    const bool is_default = technique.name == plugin.default_technique;
    if (technique.name.empty()) {
      out << "  " << technique.summary << '\n';
    } else {
      out << "  technique=" << technique.name << (is_default ? " (default)" : "") << ": " << technique.summary << '\n';
    }
    for (const Parameter& parameter : technique.parameters) print_parameter(parameter, out);
  }
}

}  // namespace

bool print_plugins(Registry& registry, std::ostream& out) {
  const std::vector<std::string> names = registry.names();
  if (names.empty()) {
    throw Error("there is no plugin in " + registry.directory().string() +
                ": give another directory with --erasure-code-dir or in ECBENCH_PLUGIN_DIR");
  }
  bool all_loaded = true;
  for (const std::string& name : names) {
    try {
      print_plugin(registry.load(name), registry.path_of(name).string(), out);
    } catch (const Error& error) {
      say(error.what());
      all_loaded = false;
    }
  }
  return all_loaded;
}

}  // namespace ecbench
