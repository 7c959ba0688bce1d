#include <iostream>
#include <map>

#include "benchmark/warnings/remarks.h"
#include "cli/commands.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/json.h"

namespace ecbench {
namespace {

/// The kernels of the named plugin, or of all. Loads them, and the codec libraries that they use.
std::map<std::string, std::string> kernels_of(const PointOptions& options, Registry& registry) {
  std::map<std::string, std::string> kernels;
  const Limits limits = limits_of(options.point);
  for (const std::string& name : options.plugin_given ? std::vector{options.point.plugin} : registry.names()) {
    try {
      Profile first({{"technique", registry.load(name).techniques.front().name}});
      if (first.text("technique").empty()) first.erase("technique");
      kernels[name] = info_of(*registry.make(name, first, limits)).kernel();
    } catch (const Error& error) {
      if (options.plugin_given) throw;
      say("the JSON object \"kernels\" has no entry for plugin " + name + ": " + error.what());
    }
  }
  return kernels;
}

}  // namespace

void add_environment_options(po::options_description& options, bool as_ceph) {
  options.add_options()("strict", "fail if the machine is not suitable for measurements");
  add_point_options(options, as_ceph, {"plugin", "codec-lib", "threads", "cpu", "dispatch"});
  add_plugin_directory(options);
}

int run_environment(const Call& call) {
  const PointOptions options = take_point_options(call.arguments, call.as_ceph);
  Registry registry = registry_of(options.plugins);
  const std::map<std::string, std::string> kernels = kernels_of(options, registry);
  if (!options.point.codec_lib.empty()) static_cast<void>(codec_libraries_of(options.point.codec_lib));
  Environment environment = environment_of(call, options.point);
  environment.kernels = kernels;
  if (call.arguments.has("strict")) require_fit(environment);
  std::cout << environment_text(environment) << '\n' << std::flush;
  for (const Remark& reason : unfit(environment)) say(reason.text);
  return 0;
}

}  // namespace ecbench
