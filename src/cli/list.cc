#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <map>

#include "benchmark/profiling/profiling.h"
#include "cli/commands.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

/// In a child process: "signal 11" or "exit code 0" if the plugin ends it, otherwise "".
std::string end_by_loading(Registry& registry, const std::string& name) {
  constexpr int not_ended = 101;
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    try {
      registry.load(name);
    } catch (const std::exception&) {
      end_process(not_ended);  // the parent process reports the error when it loads the plugin
    }
    end_process(not_ended);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == not_ended)) return "";
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit code " + std::to_string(WEXITSTATUS(status));
}

/// If a plugin cannot be loaded, prints an error, lists the others, and returns false. Throws Error without plugins.
bool list_plugins(Registry& registry, bool as_json, std::ostream& out) {
  const std::vector<std::string> names = registry.names();
  if (names.empty()) {
    throw Error("no plugin is in " + registry.directory().string() +
                ": give another directory with --erasure-code-dir or ECBENCH_PLUGIN_DIR");
  }
  // Before this process loads a plugin, whose threads fork() would not copy.
  std::map<std::string, std::string> ends;
  for (const std::string& name : names) ends[name] = end_by_loading(registry, name);
  bool all_loaded = true;
  Json plugins = Json::array();
  for (const std::string& name : names) {
    try {
      if (!ends[name].empty()) {
        throw Error("plugin " + name + ", or a library that it uses, ended the process with " + ends[name] +
                    " when ecbench loaded the plugin; a plugin must throw an exception instead");
      }
      const Plugin& plugin = registry.load(name);
      const std::string path = registry.path_of(name).string();
      if (as_json) {
        plugins.push_back(plugin_json(plugin, path));
      } else {
        print_plugin(plugin, path, out);
      }
    } catch (const Error& error) {
      say(error.what());
      all_loaded = false;
    }
  }
  if (as_json) out << on_one_line({{"plugins", plugins}}) << '\n';
  return all_loaded;
}

}  // namespace

void add_list_options(po::options_description& options, bool as_ceph) {
  options.add_options()("format", po::value<std::string>()->value_name("table|json"), "default table");
  add_plugin_directory(options);
  add_point_options(options, as_ceph, {"codec-lib"});
}

int run_list(const Call& call) {
  const bool as_json = is_json(call);
  Registry registry = registry_of(take_plugin_options(call.arguments, call.as_ceph));
  return list_plugins(registry, as_json, std::cout) ? 0 : 1;
}

}  // namespace ecbench
